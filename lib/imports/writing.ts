import type { ObjectId } from 'mongodb';
import type { Ids } from './ids.ts';
import type { People } from './people.ts';
import type { Tally } from './tally.ts';

/** What a run of an import has in common. */
export type Run = {
  importId: ObjectId;
  ids: Ids;
  /** All ids that a room may have, the one that it has if it is new among them. */
  roomIds: (id: string) => ObjectId[];
  people: People;
  tally: Tally;
  isDryRun: boolean;
};

/** A run, and the room that it writes messages to. */
export type Writing = Run & { room: TargetRoom };

/** The room of some messages. While it does not exist, `seq` and `ordinal` are those of the last message for it. */
export type TargetRoom = {
  _id: ObjectId;
  exists: boolean;
  seq: number;
  ordinal: number;
  lastAt: Date | null;
  /** The room keeps no messages that are older. */
  keepsFrom: Date | undefined;
  /** The members by their usernames: those whom a message can mention. */
  named: ReadonlyMap<string, ObjectId>;
  /** The replies that begin a thread whose first message is missing, by the id that this has in the source. */
  roots: Map<string, ObjectId>;
};
