import type { DatabaseError } from '../../values/errors.ts';
import type { Damage, DroppedWrites, PageSums } from './page-sums.ts';

/** https://www.sqlite.org/rescode.html */
const sqliteError = 1;
const sqliteCorrupt = 11;
const sqliteTooBig = 18;
const sqliteNotADatabase = 26;
/**
 * SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ, SQLITE_IOERR_DATA and SQLITE_IOERR_CORRUPTFS, e.g. an
 * unreadable sector.
 */
const failedReads: readonly number[] = [266, 522, 8202, 8458];
/** Errors of SQLite and its full-text search about tables that this database had created. */
const brokenSchema =
  /malformed database schema|no such (fts5 )?(table|column|module)|vtable constructor failed|invalid fts5 file format/;

/** True if SQLite found damage in its file or could not read a part of it. */
export function isDamage(error: unknown): boolean {
  const { errcode, code, message } = error as { errcode?: number; code?: string; message?: string };
  // An integer that is too large for JavaScript. This database never stores one.
  if (errcode === undefined) return code === 'ERR_OUT_OF_RANGE' && message?.startsWith('Value is too large') === true;
  const plain = errcode & 0xff;
  if (plain === sqliteError) return brokenSchema.test(message ?? '');
  return [sqliteCorrupt, sqliteTooBig, sqliteNotADatabase].includes(plain) || failedReads.includes(errcode);
}

/** Runs a step. If it meets damaged data, returns `otherwise`. Other errors are thrown. */
export function unlessDamaged<T>(step: () => T, otherwise: T): T {
  try {
    return step();
  } catch (error) {
    if (!isDamage(error) && !isDamageError(error)) throw error;
    return otherwise;
  }
}

/** True for this package's own error about damage (code 366). */
export const isDamageError = (error: unknown): error is DatabaseError => (error as Partial<DatabaseError>).code === 366;

const damagedPrefix = 'The database file is damaged: ';

/** The description of the damage in an error message. */
export const whatIsDamaged = ({ message }: Error): string =>
  message.startsWith(damagedPrefix) ? message.slice(damagedPrefix.length) : message;

/** Records damage that a command met, for the health check and the metrics. */
export function noteDamage(sums: Pick<PageSums, 'damage' | 'noteMet'>, error: Error): void {
  const what = whatIsDamaged(error);
  // Backups and checks report pages that are already known to be damaged.
  if (sums.damage !== undefined && what === describeDamage(sums.damage)) return;
  try {
    sums.noteMet(what);
  } catch {
    // If the disk is full, the record stays in this process only.
  }
}

/** Describes damage as sentences. */
export function describeDamage({ pages, named, log, met = [], at }: Damage): string {
  const list = `${named.join(', ')}${pages > named.length ? ', ...' : ''}`;
  const what = [...(pages > 0 ? [`${pages} page${pages === 1 ? '' : 's'} of 4 KB (${list})`] : []), ...(log ? ['the log'] : [])];
  const verb = pages > 1 || what.length > 1 ? 'do' : 'does';
  const sentences =
    what.length === 0 ? [] : [`${what.join(' and ')} ${verb} not have the content that was written (found at ${at}).`];
  if (met.length > 0) sentences.push(`Since ${at}, reading met damage: ${met.join(' ')}`);
  return sentences.join(' ');
}

/** Describes, in one sentence, the writes of the log that a start had to drop. */
export function describeDropped({ frames, acknowledged, since, at }: DroppedWrites): string {
  const what = `The start at ${at} had to leave out the last ${frames} frame${frames === 1 ? '' : 's'} of 4 KB of the log`;
  const when = since === undefined ? '' : ` (the latest document before them is of ${since})`;
  const meaning = acknowledged
    ? 'they had been acknowledged, and are lost'
    : 'they are not complete: after a power cut they were never acknowledged, otherwise the log was damaged';
  return `${what}${when}: ${meaning}.`;
}
