import { toObjectId } from '../lib/api/extended-json.ts';
import type { AuditAction } from '../lib/audit/actions.ts';
import { type Act, audited, byCaller } from '../lib/audit/append.ts';
import { explainFailure } from '../lib/base/errors.ts';
import { commandLine } from '../lib/identity/caller.ts';
import type { User } from '../lib/identity/users.ts';
import type { Streams } from './command.ts';
import { print } from './output.ts';

/** Runs work that the audit log records as done by the command line. */
export const recorded = <T>(acts: readonly Act[], work: () => Promise<T>): Promise<T> =>
  audited(acts, byCaller(commandLine), work);

/** Runs work, and records it in the audit log when it is done. */
export async function recordedAfter<T>(acts: readonly Act[], work: () => Promise<T>): Promise<T> {
  const result = await work();
  await recorded(acts, async () => {});
  return result;
}

/** An action on an account. */
export const onUser = ({ _id, username }: User, action: AuditAction, details: Record<string, string> = {}): Act[] => [
  { action, target: { kind: 'user', id: toObjectId(_id), name: username }, details },
];

/** An action on all data of the service. */
export const onData = (action: AuditAction, details: Record<string, string> = {}): Act[] => [
  { action, target: { kind: 'data', id: null, name: null }, details },
];

/**
 * Runs work that must also be possible on a damaged database. If the audit log cannot be written,
 * it runs without an entry.
 */
export async function recordedIfPossible<T>(acts: readonly Act[], stderr: Streams['stderr'], work: () => Promise<T>): Promise<T> {
  let isRecorded = false;
  try {
    return await recorded(acts, () => {
      isRecorded = true;
      return work();
    });
  } catch (error) {
    if (isRecorded) throw error;
    print(stderr, `This could not be recorded in the audit log: ${explainFailure(error)}`);
    return work();
  }
}
