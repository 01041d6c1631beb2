import type { ObjectId } from 'mongodb';
import { imports } from '../collections/service/imports.ts';
import { type Ids, idsOf } from './ids.ts';

/**
 * The import that a run belongs to, its id generator, and all ids that one of its rooms may have.
 */
export type CurrentImport = { _id: ObjectId; ids: Ids; roomIds: (id: string) => ObjectId[] };

/**
 * Starts a run for a workspace, or continues an earlier one. Throws if the import is being undone.
 */
export async function beginImport(source: string, workspace: string, isDryRun: boolean): Promise<CurrentImport> {
  const ids = idsOf(source, workspace);
  const _id = ids('import', '');
  const known = await imports.findOne({ _id });
  if (known?.undoing_since)
    throw new Error(`An undo of this import was cut off: run \`import undo ${workspace || source}\` again first.`);
  const undone = known?.undone ?? 0;
  if (!isDryRun) {
    const now = new Date();
    if (known) await imports.updateOne({ _id }, { $set: { last_at: now }, $unset: { undone_at: '' } });
    else await imports.insertOne({ _id, source, workspace, created_at: now, last_at: now, undone: 0, unfinished: [] });
  }
  const own = idsAfterUndo(ids, undone);
  const roomIds = (id: string) => Array.from({ length: undone + 1 }, (_, times) => idsAfterUndo(ids, times)('room', id));
  return { _id, ids: own, roomIds };
}

/**
 * After an undo, the same things get new ids. The old messages stay as tombstones in rooms that
 * people have written in, and browsers may cache the messages of deleted rooms.
 */
const idsAfterUndo =
  (ids: Ids, undone: number): Ids =>
  (kind, id, at) =>
    ids(kind, undone > 0 && renewed.has(kind) ? `after undo ${undone}: ${id}` : id, at);

const renewed: ReadonlySet<string> = new Set(['room', 'message', 'file']);

/**
 * Records that a room gets messages before it exists. So an undo finds them, although no room
 * document refers to them.
 */
export const noteUnfinished = async (_id: ObjectId, room: ObjectId): Promise<void> =>
  void (await imports.updateOne({ _id }, { $addToSet: { unfinished: room } }));

/** Records that a room exists. */
export const noteFinished = async (_id: ObjectId, room: ObjectId): Promise<void> =>
  void (await imports.updateOne({ _id }, { $pull: { unfinished: room } }));
