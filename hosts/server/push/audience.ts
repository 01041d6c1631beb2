import type { Connection } from './connection.ts';

/** A connected user. */
export type Follower = {
  id: string;
  username: string;
  connections: Set<Connection>;
  rooms: Set<Room>;
  /**
   * The users that this user has blocked, and whether the user shares their activity; `undefined`
   * until it is loaded.
   */
  account: { blocked: Set<string>; isShown: boolean } | undefined;
  /** True if `rooms` may be outdated, and the load that is in progress. */
  isStale: boolean;
  loading: Promise<void> | undefined;
};

/** A room with at least one connected member. */
export type Room = {
  id: string;
  /** The position of the last pushed event, and the latest known position. */
  position: number;
  noticed: number;
  /** The time at which `noticed` last changed. */
  movedAt: number;
  /** The position that a sweep found without a notice; 0 if none. */
  repairing: number;
  isPumping: boolean;
  followers: Set<Follower>;
  /** All members, loaded if the presence of users on other processes requires it. */
  members: Set<string> | undefined;
};

export const newFollower = (id: string): Follower => ({
  id,
  username: '',
  connections: new Set(),
  rooms: new Set(),
  account: undefined,
  isStale: true,
  loading: undefined,
});

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
