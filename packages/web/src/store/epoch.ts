import { readCursor } from 'chat-service-client/cursor';

let known: string | undefined;

/** The last known epoch of the service. In another epoch, the same number is another place. */
export const knownEpoch = (): string | undefined => known;

/**
 * Reads the epoch from the headers of a list. Returns true if it has changed: the service was
 * restored from a backup.
 */
export function learnEpoch(headers: Headers): boolean {
  const { epoch } = readCursor(headers.get('X-Next-Cursor') ?? '');
  const isAnother = known !== undefined && known !== epoch;
  known = epoch;
  return isAnother;
}
