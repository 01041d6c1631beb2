import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';

/** Derives ids for one workspace of a source: always the same id for the same thing. */
export type Ids = (kind: string, id: string, at?: Date) => ObjectId;

/**
 * Ids that are derived from the source, so that a second import of the same archive changes
 * nothing. Those of messages begin with the time in seconds, like new ids. Random ids would be
 * scattered across the index.
 */
export const idsOf =
  (source: string, workspace: string): Ids =>
  (kind, id, at) => {
    const hash = createHash('sha256')
      .update(JSON.stringify([source, workspace, kind, id]))
      .digest();
    if (!at) return new ObjectId(hash.subarray(0, 12));
    const second = Buffer.alloc(4);
    second.writeUInt32BE(Math.min(Math.max(0, Math.floor(at.getTime() / 1000)), 0xffffffff));
    return new ObjectId(Buffer.concat([second, hash.subarray(0, 8)]));
  };
