/** One sentence about a failure, that says what to do where that is known. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'MongoServerSelectionError')
    return `The database can't be reached (${error.message}): check MONGODB_URI and that the database runs.`;
  return error.message;
}
