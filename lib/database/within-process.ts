import type { Collection, WriteConcernSettings } from 'mongodb';

/** Which of all changes of a database was the last to a collection's documents; undefined while there is no such collection. */
export type LastChange = (db: string, collection: string) => number | undefined;

let lastChange: LastChange | undefined;

/**
 * Call this if the database is within this process. `tells` knows the last change of each collection, by any client;
 * nothing does if it is not.
 */
export function databaseIsWithinThisProcess(tells: LastChange | undefined): void {
  lastChange = tells;
}

/** Whether the database is within this process: then a call more costs little, and what has changed is known. */
export const isWithinProcess = (): boolean => lastChange !== undefined;

/**
 * The write concern of a write that is nothing without the next one, whose sync saves both. A database within this
 * process may forget it in a power cut, from which nobody is left to go on. One that may forget it while this process
 * goes on, as MongoDB may, syncs it at once.
 */
export const savedByTheNext = (): { writeConcern?: WriteConcernSettings } =>
  isWithinProcess() ? { writeConcern: { w: 'majority', journal: false } } : {};

/** What this process has noted for a collection and not stored yet, by the collection's name: how often that changed. */
const noted = new Map<string, () => number>();

/** Counts what is noted for a collection as part of its state. */
export const countNoted = ({ collectionName }: CollectionName, changes: () => number): void =>
  void noted.set(collectionName, changes);

type CollectionName = Pick<Collection, 'dbName' | 'collectionName'>;

/**
 * A number that stays the same only while no document of these collections changes, and nothing that is noted for
 * one. As long as it does, data that was read after it was asked for is up to date. For a database that is not within
 * this process it is NaN, which nothing equals.
 */
export const stateOf = (...collections: CollectionName[]): number =>
  collections.reduce(
    (sum, { dbName, collectionName }) =>
      sum + (lastChange?.(dbName, collectionName) ?? Number.NaN) + (noted.get(collectionName)?.() ?? 0),
    0,
  );
