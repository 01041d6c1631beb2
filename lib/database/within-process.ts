import type { WriteConcernSettings } from 'mongodb';

let isWithin = false;
let isAsked = false;

/** To be called where the database is within this process, before the client is made: what it forgets in a power cut, nobody is left to go on from. */
export function databaseIsWithinThisProcess(): void {
  if (isAsked) throw new Error('The client of the database is made already.');
  isWithin = true;
}

/** Whether a call may get lost on its way to the database, or its answer on the way back: then a write is sent again, and the database notes each. */
export function callsMayGetLost(): boolean {
  isAsked = true;
  return !isWithin;
}

/**
 * The write concern of a write that is nothing without the next one, whose sync saves both. A database that may forget it while this
 * process goes on, as MongoDB may, syncs it at once.
 */
export const savedByTheNext = (): { writeConcern?: WriteConcernSettings } =>
  isWithin ? { writeConcern: { w: 'majority', journal: false } } : {};
