/** The database could not start. The message explains why in one sentence. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
  readonly code: 'PORT_TAKEN' | 'HELD' | 'UNUSABLE_DIRECTORY' | 'UNKNOWN_FORMAT' | 'LOST' | 'DAMAGED' | 'FAILED';
  constructor(code: DatabaseStartError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
