/**
 * The name of a database with indexes and without documents, next to the tests' database. Query
 * plans are tested there: some databases scan a small collection once they have counted its
 * documents, which happens at unpredictable times.
 */
export const emptyDatabase = ({ MONGODB_DATABASE }: Record<string, string>): string => `${MONGODB_DATABASE}_empty`;
