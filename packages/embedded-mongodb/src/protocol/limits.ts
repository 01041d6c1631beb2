/** MongoDB's limit for a document. */
export const maxDocumentBytes = 16 * 1024 * 1024;
/** MongoDB's limit for the statements of a batch. */
export const maxBatch = 100_000;
/** The version of MongoDB that this database imitates. */
export const version = '8.0.0';
