/** What one process has pushed since it started. */
export type PushCounts = {
  /** Connections that are open now. */
  sockets: number;
  /** Frames that were sent without being asked for, by what they were. */
  pushes: { events: number; signal: number; left: number; typing: number; read: number; presence: number };
  /** Frames that were not sent because a client read too slowly: ephemeral ones, and events that became a signal. */
  dropped: { ephemeral: number; events: number };
  /** How often a sweep found events whose notice had been lost. */
  repaired: number;
};

export const counts: PushCounts = {
  sockets: 0,
  pushes: { events: 0, signal: 0, left: 0, typing: 0, read: 0, presence: 0 },
  dropped: { ephemeral: 0, events: 0 },
  repaired: 0,
};
