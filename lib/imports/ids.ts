import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';

/** The ids of what comes from one workspace of a source: always the same for the same thing. */
export type Ids = (kind: string, id: string, at?: Date) => ObjectId;

/**
 * Ids that follow from the source, so that the same archive changes nothing when it comes again. Those of messages
 * begin with the second, as new ones do: random ones would each go to another place of the index.
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
