import { type IndexDescription, ObjectId } from 'mongodb';
import type { IdempotencyFields } from '../../api/idempotency.ts';
import { collection } from '../../database/bounded.ts';

/** The type, size and SHA-256 (in hexadecimal) that the sender announces before the upload. */
export type AnnouncedBytes = { type: string; size: number; sha256: string };

/**
 * A file: announced (`reserved`), then stored, then bound to a single message. If a deletion is
 * interrupted, the file is `deleted`, and the next sweep finishes it.
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
  /** Its preview picture; `is_stored` once that is uploaded. */
  preview?: AnnouncedBytes & { is_stored?: true };
  /** Its name in the object store: random, because users choose `name`. */
  key: string;
  /** The bytes that count against the quotas: those of the file and its preview. */
  bytes: number;
  state: 'reserved' | 'stored' | 'bound' | 'deleted';
  created_at: Date;
  /** When the sweep must check it; absent while nothing is pending. */
  due?: Date;
} & Partial<IdempotencyFields>;

export const fileIndexes: IndexDescription[] = [
  { key: { due: 1 }, name: 'due', sparse: true },
  // A range instead of `$type`, as in the indexes of messages: a query planner recognises that any
  // id is within it.
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
