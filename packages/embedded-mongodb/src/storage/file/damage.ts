import { DatabaseError } from '../../values/errors.ts';
import type { Damage, DroppedWrites } from './page-sums.ts';

const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;

/** Whether SQLite found its file damaged. */
export function isDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && [sqliteCorrupt, sqliteNotADatabase].includes(errcode & 0xff);
}

/** 366 DataCorruptionDetected: the file is damaged. */
export const damaged = (what: string) => new DatabaseError(366, `The database file is damaged: ${what}`);

/** Goes on where what is stored is damaged; everything else that a step throws it throws. */
export function unlessDamaged<T>(step: () => T, otherwise: T): T {
  try {
    return step();
  } catch (error) {
    if (!isDamage(error) && (error as Partial<DatabaseError>).code !== 366) throw error;
    return otherwise;
  }
}

/** Damage as a sentence. */
export function describeDamage({ pages, named, log, at }: Damage): string {
  const list = `${named.join(', ')}${pages > named.length ? ', ...' : ''}`;
  const what = [...(pages > 0 ? [`${pages} page${pages === 1 ? '' : 's'} of 4 KB (${list})`] : []), ...(log ? ['the log'] : [])];
  return `${what.join(' and ')} ${pages > 1 || what.length > 1 ? 'do' : 'does'} not have the content that was written (found at ${at}).`;
}

/** What a start had to leave out of the log, as a sentence. */
export function describeDropped({ frames, acknowledged, since, at }: DroppedWrites): string {
  const what = `The start at ${at} had to leave out the last ${frames} frame${frames === 1 ? '' : 's'} of 4 KB of the log`;
  const when = since === undefined ? '' : ` (the latest document before them is of ${since})`;
  const meaning = acknowledged
    ? 'they had been acknowledged, and are lost'
    : 'they are not complete: after a power cut they were never acknowledged, otherwise the log was damaged';
  return `${what}${when}: ${meaning}.`;
}
