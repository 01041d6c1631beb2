import { type IndexDescription, ObjectId } from 'mongodb';
import type { IdempotencyFields } from '../../api/idempotency.ts';
import { collection } from '../../database/bounded.ts';

/** Bytes as their sender announces them; the hash is a SHA-256 in hexadecimal. */
export type AnnouncedBytes = { type: string; size: number; sha256: string };

/**
 * A file: announced, then stored, then bound to the one message that has it. What a deletion was cut off in is
 * `deleted`, and finished by the next sweep.
 */
export type FileDocument = AnnouncedBytes & {
  _id: ObjectId;
  room: ObjectId;
  user: ObjectId;
  /** Null until it is bound. */
  message: ObjectId | null;
  name: string;
  width: number | null;
  height: number | null;
  duration: number | null;
  alt?: string;
  /** The small picture of it, and whether its bytes are there. */
  preview?: AnnouncedBytes & { is_stored?: true };
  /** What the store calls it: random, because names are anything. */
  key: string;
  /** The bytes that count against the quotas: its own and those of its preview. */
  bytes: number;
  state: 'reserved' | 'stored' | 'bound' | 'deleted';
  created_at: Date;
  /** When the sweep must look at it; absent while nothing is pending. */
  due?: Date;
} & Partial<IdempotencyFields>;

export const fileIndexes: IndexDescription[] = [
  { key: { due: 1 }, name: 'due', sparse: true },
  // As the indexes of messages: a planner sees that an id is at least this one.
  { key: { message: 1 }, name: 'message', partialFilterExpression: { message: { $gte: new ObjectId('0'.repeat(24)) } } },
  { key: { room: 1 }, name: 'room' },
  { key: { user: 1 }, name: 'user' },
  { key: { bytes: 1 }, name: 'bytes' },
  { key: { key: 1 }, name: 'key', unique: true },
  {
    key: { user: 1, idempotency_key: 1 },
    name: 'user, idempotency_key',
    unique: true,
    partialFilterExpression: { idempotency_key: { $exists: true } },
  },
];

/** The files of all rooms. */
export const files = collection<Omit<FileDocument, '_id'>>('files');
