import type { Collection, WriteConcernSettings } from 'mongodb';

/**
 * The number of the last change to a collection's documents, among all changes of its database.
 * Undefined if the collection does not exist.
 */
export type LastChange = (db: string, collection: string) => number | undefined;

let lastChange: LastChange | undefined;

/**
 * Declares that the database is within this process. `tells` returns the last change of each
 * collection, by any client. Undefined declares the opposite.
 */
export function databaseIsWithinThisProcess(tells: LastChange | undefined): void {
  lastChange = tells;
}

/**
 * Returns true if the database is within this process: then calls are cheap, and changes are
 * detected.
 */
export const isWithinProcess = (): boolean => lastChange !== undefined;

/**
 * The write concern of a write that is useless without the next one, which syncs both to disk. A
 * database within this process may lose it in a power cut, because the process dies with it. Any
 * other database could lose it while this process continues, so it syncs the write immediately.
 */
export const savedByTheNext = (): { writeConcern?: WriteConcernSettings } =>
  isWithinProcess() ? { writeConcern: { w: 'majority', journal: false } } : {};

/** Counters of changes that are only in this process and not stored, by the collection's name. */
const noted = new Map<string, () => number>();

/** Adds a counter of changes outside the database to a collection's state. */
export const countNoted = ({ collectionName }: CollectionName, changes: () => number): void =>
  void noted.set(collectionName, changes);

type CollectionName = Pick<Collection, 'dbName' | 'collectionName'>;

/**
 * A number that stays the same only while no document of these collections changes, and no counter
 * of `countNoted`. If it is unchanged, data that was read after an earlier call is up to date. NaN,
 * which equals nothing, if the database is not within this process.
 */
export const stateOf = (...collections: CollectionName[]): number =>
  collections.reduce(
    (sum, { dbName, collectionName }) =>
      sum + (lastChange?.(dbName, collectionName) ?? Number.NaN) + (noted.get(collectionName)?.() ?? 0),
    0,
  );
