import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * The import of one workspace of another chat. Its accounts, rooms and messages refer to its `_id`,
 * so that it can be undone.
 */
export type ImportDocument = {
  _id: ObjectId;
  /** The other chat: `slack`, `mattermost`, `zulip` or `rocketchat`. */
  source: string;
  /** The name that distinguishes several workspaces; empty if there is only one. */
  workspace: string;
  /** The start of its first import and of the last one. */
  created_at: Date;
  last_at: Date;
  /**
   * The number of undos. New ids depend on it, so that messages that are imported again get other
   * ids than the deleted ones.
   */
  undone: number;
  /** Set while it is being undone, also after an interruption. */
  undoing_since?: Date;
  /** When it was last undone; removed by the next import. */
  undone_at?: Date;
  /**
   * Rooms that are not created yet but have messages, from a run that is in progress or was
   * interrupted.
   */
  unfinished: ObjectId[];
};

export const importIndexes: IndexDescription[] = [];

/** The imports of other chats, one for each workspace. */
export const imports = collection<Omit<ImportDocument, '_id'>>('imports');
