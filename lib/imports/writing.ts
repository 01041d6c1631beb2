import type { ObjectId } from 'mongodb';
import type { Ids } from './ids.ts';
import type { People } from './people.ts';
import type { Tally } from './tally.ts';

/** The state that all parts of a run share. */
export type Run = {
  importId: ObjectId;
  ids: Ids;
  /** All ids that a room may have, including its id if it is new. */
  roomIds: (id: string) => ObjectId[];
  people: People;
  tally: Tally;
  isDryRun: boolean;
};

/** A run, and the room that it writes messages to. */
export type WritingRun = Run & { room: TargetRoom };

/**
 * The room of some messages. While it does not exist, `seq` and `ordinal` are those of its last
 * message.
 */
export type TargetRoom = {
  _id: ObjectId;
  exists: boolean;
  seq: number;
  ordinal: number;
  lastAt: Date | null;
  /** Messages before this time are left out, because the room would delete them. */
  keepsFrom: Date | undefined;
  /** The members by username, whom a message can mention. */
  named: ReadonlyMap<string, ObjectId>;
  /**
   * Replies that begin their thread because its first message is missing, by the source's id of
   * that message.
   */
  roots: Map<string, ObjectId>;
};
