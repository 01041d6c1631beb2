import type { Connection } from './connection.ts';

/** A user who is connected. */
export type Follower = {
  id: string;
  username: string;
  connections: Set<Connection>;
  rooms: Set<Room>;
  /** Whom the user has blocked, and whether others may know when the user is active; undefined until it is read. */
  account: { blocked: Set<string>; isShown: boolean } | undefined;
  /** Whether the rooms may be others than these, and the load that is finding out. */
  isStale: boolean;
  loading: Promise<void> | undefined;
};

/** A room of which a user who is connected is a member. */
export type Room = {
  id: string;
  /** Up to where its feed was pushed, and up to where it is known to be. */
  position: number;
  noticed: number;
  /** When that became known. */
  movedAt: number;
  /** Up to where a sweep found that it is, where no notice had said so. */
  repairing: number;
  isPumping: boolean;
  followers: Set<Follower>;
  /** All members, where it matters who of them is connected elsewhere. */
  members: Set<string> | undefined;
};

/** A user who is connected from now on. */
export const newFollower = (id: string): Follower => ({
  id,
  username: '',
  connections: new Set(),
  rooms: new Set(),
  account: undefined,
  isStale: true,
  loading: undefined,
});

/** A room whose feed is at `seq`. */
export const newRoom = (id: string, seq: number): Room => ({
  id,
  position: seq,
  noticed: seq,
  movedAt: 0,
  repairing: 0,
  isPumping: false,
  followers: new Set(),
  members: undefined,
});
