import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** One entry of the audit trail: an act of an administrator, the command line or the service itself. It never changes. */
export type AuditDocument = {
  /** Its number: they begin with 1 and have no gap. */
  _id: number;
  /** The time by the clock of the process that wrote it. */
  at: Date;
  actor: AuditActor;
  action: string;
  target: AuditTarget | null;
  /** What else there is to know, never a secret or the text of a message. */
  details: Record<string, string>;
  /** The address of the request; null for the command line and the service. */
  source: string | null;
  /** The number of the entry whose act was refused or failed; null in the entry of an act. */
  failed: number | null;
  /** The hash of the entry before; empty in the first one. */
  previous: string;
  /** SHA-256 of all of the above, in hexadecimal: `audit/chain.ts`. */
  hash: string;
};

export const auditActors = ['user', 'command line', 'service'] as const;

/** Who acted. The name is that of the time: for the command line, of the account of the operating system. */
export type AuditActor = { kind: (typeof auditActors)[number]; id: ObjectId | null; name: string | null };

export const auditTargets = ['user', 'room', 'data'] as const;

/** What an act is about, by its name at that time. What is yet to be made has no id. */
export type AuditTarget = { kind: (typeof auditTargets)[number]; id: ObjectId | null; name: string | null };

export const auditIndexes: IndexDescription[] = [
  { key: { 'actor.id': 1, _id: 1 }, name: 'actor' },
  { key: { 'target.id': 1, _id: 1 }, name: 'target' },
  { key: { action: 1, _id: 1 }, name: 'action' },
  { key: { at: 1 }, name: 'at' },
];

/** The audit trail. */
export const audit = collection<AuditDocument>('audit');

/**
 * Where the trail ends (`head`), so that the removal of its last entries shows; and the last entry that was cut off on
 * purpose, because of its age (`cut`), which the first one that is kept follows.
 */
export type AuditStateDocument = { _id: 'head' | 'cut'; seq: number; hash: string };

export const auditStates = collection<AuditStateDocument>('audit_states');
