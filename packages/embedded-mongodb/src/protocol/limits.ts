/** MongoDB's limit on a document. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** MongoDB's limit on the statements of one batch. */
export const MAX_BATCH = 100_000;
/** The version of MongoDB whose behaviour is followed. */
export const VERSION = '8.0.0';
