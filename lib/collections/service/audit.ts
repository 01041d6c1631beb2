import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * One entry of the audit log: an act of an administrator, the command line or the service, or an
 * approval. It never changes.
 */
export type AuditDocument = {
  /** Its number: consecutive from 1. */
  _id: number;
  /** The time, by the clock of the writing process. */
  at: Date;
  actor: AuditActor;
  action: string;
  target: AuditTarget | null;
  /** Further facts; never a secret. Of messages, only the text of an approval. */
  details: Record<string, string>;
  /** The address of the request; null for the command line and the service. */
  source: string | null;
  /** The number of the entry whose act was refused or failed; null for an act. */
  failed: number | null;
  /** The hash of the entry before; empty in the first entry. */
  previous: string;
  /** SHA-256 of the other fields, in hexadecimal: `audit/chain.ts`. */
  hash: string;
};

export const auditActors = ['user', 'command line', 'service'] as const;

/**
 * The actor, with the name at that time. For the command line, it is the operating system's
 * account.
 */
export type AuditActor = { kind: (typeof auditActors)[number]; id: ObjectId | null; name: string | null };

export const auditTargets = ['user', 'room', 'data'] as const;

/**
 * The target of an act, with its name at that time. The id is null if the target is yet to be
 * created.
 */
export type AuditTarget = { kind: (typeof auditTargets)[number]; id: ObjectId | null; name: string | null };

export const auditIndexes: IndexDescription[] = [
  { key: { 'actor.id': 1, _id: 1 }, name: 'actor' },
  { key: { 'target.id': 1, _id: 1 }, name: 'target' },
  { key: { action: 1, _id: 1 }, name: 'action' },
  { key: { at: 1 }, name: 'at' },
];

/** The audit log. */
export const audit = collection<AuditDocument>('audit');

/**
 * `head`: the last entry, so that its removal is detected. `cut`: the last entry that was deleted
 * because of its age; the first kept entry follows it.
 */
export type AuditStateDocument = { _id: 'head' | 'cut'; seq: number; hash: string };

export const auditStates = collection<AuditStateDocument>('audit_states');
