import { userInfo } from 'node:os';
import { firstCharacters } from 'chat-service-rules/shortened';
import { attempt, regardlessOfDeadline } from '../base/deadline.ts';
import { HttpError } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { type AuditActor, type AuditDocument, type AuditTarget, audit } from '../collections/service/audit.ts';
import { serializeByKey } from '../database/engines.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { type Caller, commandLine } from '../identity/caller.ts';
import type { AuditAction } from './actions.ts';
import { chained, noTip, type Tip } from './chain.ts';
import { noteState, readState } from './state.ts';

/** An action, its target and its details. */
export type Act = { action: AuditAction; target?: AuditTarget | undefined; details?: Record<string, string> };

/** The actor of an entry, and the address that the request came from. */
type By = { actor: AuditActor; source: string | null };

/** The actor and the address of a caller. */
export const byCaller = (caller: Caller): By =>
  caller === commandLine
    ? { actor: { kind: 'command line', id: null, name: bounded(systemName()) }, source: null }
    : { actor: { kind: 'user', id: caller.user._id, name: caller.user.username }, source: caller.source ?? null };

/** The service itself, for acts that follow from another system, such as an identity provider. */
export const byService: By = { actor: { kind: 'service', id: null, name: null }, source: null };

/**
 * Does audited work. The entry is written first, so that a process that dies leaves no act without
 * an entry. If the work is refused or fails, a second entry says so.
 *
 * An entry without a second one does not prove that the act happened: the process may have died
 * before it. After a 503 the outcome is unknown, so no second entry is written.
 */
export async function audited<T>(acts: readonly Act[], by: By, work: () => Promise<T>): Promise<T> {
  const entries: AuditDocument[] = [];
  for (const act of acts) entries.push(await append(act, by));
  try {
    return await work();
  } catch (error) {
    const isUnknown = error instanceof HttpError && error.status === 503;
    if (!isUnknown) await regardlessOfDeadline(() => noteFailure(entries, by, error));
    throw error;
  }
}

async function noteFailure(entries: AuditDocument[], by: By, error: unknown): Promise<void> {
  try {
    for (const { _id, action, target } of entries)
      await append({ action: action as AuditAction, target: target ?? undefined, details: { error: codeOf(error) } }, by, _id);
  } catch (failure) {
    log('error', 'a failure is missing in the audit log', { error: describeError(failure) });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof HttpError ? String(error.body?.code ?? error.status) : error instanceof Error ? error.name : 'Error';

/** Records an act that cannot be taken back. A failure to record it is only logged. */
export async function noteDone(act: Act, by: By): Promise<void> {
  try {
    await append(act, by);
  } catch (error) {
    log('error', 'an act is missing in the audit log', { action: act.action, error: describeError(error) });
  }
}

/**
 * Appends an entry to the log. Concurrent processes compete for the next number; the others
 * retry.
 */
export const append = (act: Act, by: By, failed: number | null = null): Promise<AuditDocument> =>
  // The entries of one process are written in turn, so that they do not compete with each other.
  inTurn('', () => attempt({ milliseconds: longestMs, pause: () => 20 * Math.random() }, () => appendOnce(act, by, failed)));

const inTurn = serializeByKey<AuditDocument>();

/** How long to retry while other processes append. */
const longestMs = 10_000;

async function appendOnce(
  { action, target = undefined, details = {} }: Act,
  { actor, source }: By,
  failed: number | null,
): Promise<AuditDocument | undefined> {
  const tip = await findTip();
  const entry = chained(
    {
      _id: tip.seq + 1,
      at: new Date(),
      actor,
      action,
      target: target ? { ...target, name: target.name === null ? null : bounded(target.name) } : null,
      details: Object.fromEntries(
        Object.entries(details).map(([name, value]) => [name, bounded(value, name === 'text' ? mostOfText : mostCharacters)]),
      ),
      source,
      failed,
    },
    tip.hash,
  );
  try {
    await audit.insertOne(entry);
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
  await noteState('head', { seq: entry._id, hash: entry.hash });
  return entry;
}

/**
 * The entry that the next one follows: the last one, or the recorded head if that is further. So a
 * gap stays if somebody removed the last entries.
 */
export async function findTip(): Promise<Tip> {
  const head = await readState('head');
  // Only entries from the head on: earlier removals do not matter here.
  const since = { _id: { $gte: head?.seq ?? 0 } };
  const last = await audit.findOne(since, { sort: { _id: -1 }, projection: { hash: 1 } });
  const end = last ? { seq: last._id, hash: last.hash } : noTip;
  return head && head.seq >= end.seq ? head : end;
}

/** The most characters of a name or a detail in an entry. */
const mostCharacters = 200;

/** The most characters of a text that was approved: all of it. */
const mostOfText = 1_000;

const bounded = (text: string, most = mostCharacters): string => firstCharacters(text.toWellFormed(), most);

/**
 * The name of the account that runs this process, or its number: in a container the account may
 * lack a name.
 */
function systemName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
