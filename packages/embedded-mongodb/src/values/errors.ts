/** An error in the form in which MongoDB reports it. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: number;
  readonly codeName: string;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
    this.codeName = codeName(code);
  }
}

/** MongoDB's names of its error codes. A code without a name is called `Location<code>`. */
const codeNames: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  39: 'FileStreamFailed',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  79: 'UnknownReplWriteConcern',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  96: 'OperationFailed',
  100: 'UnsatisfiableWriteConcern',
  115: 'CommandNotSupported',
  146: 'ExceededMemoryLimit',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  175: 'QueryPlanKilled',
  197: 'InvalidIndexSpecificationOption',
  225: 'TransactionTooOld',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  279: 'ClientDisconnect',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  366: 'DataCorruptionDetected',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  12051: 'CursorInUse',
  14031: 'OutOfDiskSpace',
};

/** The name of an error code. */
export function codeName(code: number): string {
  return codeNames[code] ?? `Location${code}`;
}

/** Error 2: BadValue. */
export const badValue = (message: string) => new DatabaseError(2, message);
/** Error 9: FailedToParse. */
export const failedToParse = (message: string) => new DatabaseError(9, message);
/** Error 14: TypeMismatch. */
export const typeMismatch = (message: string) => new DatabaseError(14, message);
/** Error 15: Overflow. The nesting is too deep. */
export const tooDeep = (message: string) => new DatabaseError(15, message);
/** Error 22: InvalidBSON. */
export const invalidBson = (message: string) => new DatabaseError(22, message);
/** Error 28: PathNotViable. */
export const pathNotViable = (message: string) => new DatabaseError(28, message);
/** Error 40: ConflictingUpdateOperators. */
export const conflictingUpdate = (path: string, other: string) =>
  new DatabaseError(40, `Updating the path '${path}' would create a conflict at '${other}'`);
/** Error 66: ImmutableField. */
export const immutableField = (path: string) =>
  new DatabaseError(66, `Performing an update on the path '${path}' would modify the immutable field '${path}'`);
/** Error 115: CommandNotSupported. */
export const notSupported = (message: string) => new DatabaseError(115, message);
/** Error 366: DataCorruptionDetected. The database file is damaged. */
export const damaged = (what: string) => new DatabaseError(366, `The database file is damaged: ${what}`);
/** Error 168: InvalidPipelineOperator. */
export const invalidPipelineOperator = (name: string) => new DatabaseError(168, `Unrecognized expression '${name}'`);
