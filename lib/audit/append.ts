import { userInfo } from 'node:os';
import { attempt, regardlessOfDeadline } from '../base/deadline.ts';
import { HttpError } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { type AuditActor, type AuditDocument, type AuditTarget, audit } from '../collections/service/audit.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { serializeByKey } from '../database/writes.ts';
import { type Caller, commandLine } from '../identity/caller.ts';
import type { AuditAction } from './actions.ts';
import { chained, noTip, type Tip } from './chain.ts';
import { noteState, readState } from './state.ts';

/** What is done, and to whom. */
export type Act = { action: AuditAction; target?: AuditTarget | undefined; details?: Record<string, string> };

/** Who does it, and from which address. */
type By = { actor: AuditActor; source: string | null };

/** A caller as an actor. */
export const byCaller = (caller: Caller): By =>
  caller === commandLine
    ? { actor: { kind: 'command line', id: null, name: bounded(systemName()) }, source: null }
    : { actor: { kind: 'user', id: caller.user._id, name: caller.user.username }, source: caller.source ?? null };

/** The service itself, where what it does follows from what somebody else has said, such as an identity provider. */
export const byService: By = { actor: { kind: 'service', id: null, name: null }, source: null };

/**
 * Does what is recorded. The entry comes first, so that a process that dies leaves no act without one; what is refused or
 * fails gets a second one that says so. After a death between entry and act there is none: an entry says what was asked
 * for, and nothing says that it failed. Nor is there after a 503: what ran out of time may have happened, or goes on.
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
    log('error', 'a failure is missing in the audit trail', { error: describeError(failure) });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof HttpError ? String(error.body?.code ?? error.status) : error instanceof Error ? error.name : 'Error';

/** Records what is done and can't be taken back, whether or not that succeeds. */
export async function noteDone(act: Act, by: By): Promise<void> {
  try {
    await append(act, by);
  } catch (error) {
    log('error', 'an act is missing in the audit trail', { action: act.action, error: describeError(error) });
  }
}

/** Writes an entry after the last one; of several processes that do so at the same time, one is first. */
export const append = (act: Act, by: By, failed: number | null = null): Promise<AuditDocument> =>
  // The entries of one process are written in turn, so that they do not contend with each other.
  inTurn('', () => attempt({ milliseconds: longest, pause: () => 20 * Math.random() }, () => appendOnce(act, by, failed)));

const inTurn = serializeByKey<AuditDocument>();

/** For how many milliseconds other processes may come first. */
const longest = 10_000;

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
      details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, bounded(value)])),
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
 * What the next entry follows: the last one, or what the head says if that is further. Had somebody removed the last
 * entries, the gap stays.
 */
export async function findTip(): Promise<Tip> {
  const head = await readState('head');
  // Not the whole trail: what was removed before the head makes no difference.
  const since = { _id: { $gte: head?.seq ?? 0 } };
  const last = await audit.findOne(since, { sort: { _id: -1 }, projection: { hash: 1 } });
  const end = last ? { seq: last._id, hash: last.hash } : noTip;
  return head && head.seq >= end.seq ? head : end;
}

/** So many characters of a name or a detail are kept. */
const mostCharacters = 200;

const bounded = (text: string): string => [...text.toWellFormed()].slice(0, mostCharacters).join('');

/** The name of the account that runs this process; a container may run by a number that has none. */
function systemName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
