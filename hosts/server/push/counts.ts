/** The push counters of one process since its start. */
export type PushCounts = {
  /** Connections that are open now. */
  sockets: number;
  /** Frames that were pushed, by kind. */
  pushes: { events: number; signal: number; left: number; typing: number; read: number; presence: number };
  /**
   * Frames that were dropped for slow clients: ephemeral ones, and events that were replaced by a
   * signal.
   */
  dropped: { ephemeral: number; events: number };
  /** Events that a sweep found because their notice was lost. */
  repaired: number;
};

export const counts: PushCounts = {
  sockets: 0,
  pushes: { events: 0, signal: 0, left: 0, typing: 0, read: 0, presence: 0 },
  dropped: { ephemeral: 0, events: 0 },
  repaired: 0,
};
