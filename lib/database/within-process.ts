import type { WriteConcernSettings } from 'mongodb';

let isWithin = false;

/** To be called where the database is within this process: what it forgets in a power cut, nobody is left to go on from. */
export function databaseIsWithinThisProcess(): void {
  isWithin = true;
}

/**
 * The write concern of a write that is nothing without the next one, whose sync saves both. A database that may forget it while this
 * process goes on, as MongoDB may, syncs it at once.
 */
export const savedByTheNext = (): { writeConcern?: WriteConcernSettings } =>
  isWithin ? { writeConcern: { w: 'majority', journal: false } } : {};
