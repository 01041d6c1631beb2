/**
 * The name of the database that has the indexes and no documents, beside the one of the tests. Plans are asked for there: some
 * databases scan a collection of few documents once they have counted them, which they do at times of their own.
 */
export const emptyDatabase = ({ MONGODB_DATABASE }: Record<string, string>): string => `${MONGODB_DATABASE}_empty`;
