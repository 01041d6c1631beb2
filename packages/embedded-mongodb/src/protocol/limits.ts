/** MongoDB's limit on a document. */
export const maxDocumentBytes = 16 * 1024 * 1024;
/** MongoDB's limit on the statements of one batch. */
export const maxBatch = 100_000;
/** The version of MongoDB whose behaviour is followed. */
export const version = '8.0.0';
