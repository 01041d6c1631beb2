/** An error as a MongoDB server answers it. */
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

/** MongoDB's names of its error codes; the code of a single place in its source is called `Location<code>`. */
const CODE_NAMES: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  4: 'NoSuchKey',
  6: 'HostUnreachable',
  7: 'HostNotFound',
  8: 'UnknownError',
  9: 'FailedToParse',
  10: 'CannotMutateObject',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  17: 'ProtocolError',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  21: 'EmptyArrayOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  55: 'InvalidDBRef',
  56: 'EmptyFieldName',
  57: 'DottedFieldName',
  59: 'CommandNotFound',
  61: 'ShardKeyNotFound',
  64: 'WriteConcernFailed',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  68: 'IndexAlreadyExists',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  79: 'UnknownReplWriteConcern',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  89: 'NetworkTimeout',
  91: 'ShutdownInProgress',
  96: 'OperationFailed',
  100: 'UnsatisfiableWriteConcern',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  117: 'ConflictingOperationInProgress',
  121: 'DocumentValidationFailure',
  125: 'CommandFailed',
  134: 'ReadConcernMajorityNotAvailableYet',
  136: 'CappedPositionLost',
  146: 'ExceededMemoryLimit',
  165: 'ViewDepthLimitExceeded',
  166: 'CommandNotSupportedOnView',
  167: 'OptionNotSupportedOnView',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  175: 'QueryPlanKilled',
  189: 'PrimarySteppedDown',
  197: 'InvalidIndexSpecificationOption',
  225: 'TransactionTooOld',
  226: 'AtomicityFailure',
  237: 'CursorKilled',
  238: 'NotImplemented',
  241: 'ConversionFailure',
  246: 'SnapshotUnavailable',
  249: 'FailPointSetFailed',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  262: 'ExceededTimeLimit',
  263: 'OperationNotSupportedInTransaction',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  322: 'APIVersionError',
  323: 'APIStrictError',
  324: 'APIDeprecationError',
  352: 'UnsupportedOpQueryCommand',
  9001: 'SocketException',
  10107: 'NotWritablePrimary',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11600: 'InterruptedAtShutdown',
  11601: 'Interrupted',
  11602: 'InterruptedDueToReplStateChange',
  13388: 'StaleConfig',
  13435: 'NotPrimaryNoSecondaryOk',
  13436: 'NotPrimaryOrSecondary',
  14031: 'OutOfDiskSpace',
};

/** The name that MongoDB gives to an error code. */
export function codeName(code: number): string {
  return CODE_NAMES[code] ?? `Location${code}`;
}

/** 2 BadValue. */
export const badValue = (message: string) => new DatabaseError(2, message);
/** 9 FailedToParse. */
export const failedToParse = (message: string) => new DatabaseError(9, message);
/** 14 TypeMismatch. */
export const typeMismatch = (message: string) => new DatabaseError(14, message);
/** 15 Overflow: nested too deeply. */
export const tooDeep = (message: string) => new DatabaseError(15, message);
/** 22 InvalidBSON. */
export const invalidBson = (message: string) => new DatabaseError(22, message);
/** 28 PathNotViable. */
export const pathNotViable = (message: string) => new DatabaseError(28, message);
/** 40 ConflictingUpdateOperators. */
export const conflictingUpdate = (path: string, other: string) =>
  new DatabaseError(40, `Updating the path '${path}' would create a conflict at '${other}'`);
/** 66 ImmutableField. */
export const immutableField = (path: string) =>
  new DatabaseError(66, `Performing an update on the path '${path}' would modify the immutable field '${path}'`);
/** 115 CommandNotSupported. */
export const notSupported = (message: string) => new DatabaseError(115, message);
/** 168 InvalidPipelineOperator. */
export const invalidPipelineOperator = (name: string) => new DatabaseError(168, `Unrecognized expression '${name}'`);
/** 238 NotImplemented. */
export const notImplemented = (message: string) => new DatabaseError(238, message);
