import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** What came from one workspace of another chat. Its accounts, rooms and messages have its `_id`, so that it can be undone. */
export type ImportDocument = {
  _id: ObjectId;
  /** The other chat: `slack`, `mattermost`, `zulip` or `rocketchat`. */
  source: string;
  /** The name that tells several workspaces apart; empty for one that needs none. */
  workspace: string;
  /** When its first import began, and its last one. */
  created_at: Date;
  last_at: Date;
  /** How often it was undone: messages that come again have other ids than those that were deleted. */
  undone: number;
  /** Only there while it is being undone, or if that was cut off. */
  undoing_since?: Date;
  /** When it was undone last; only there until something is imported again. */
  undone_at?: Date;
  /** Rooms that have messages and do not exist yet, of a run that is under way or was cut off. */
  unfinished: ObjectId[];
};

export const importIndexes: IndexDescription[] = [];

/** The imports of other chats, one for each workspace. */
export const imports = collection<Omit<ImportDocument, '_id'>>('imports');
