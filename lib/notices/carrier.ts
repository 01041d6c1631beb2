/**
 * The outcome of a frame. `gone`: its connection does not exist. `dropped`: it was given up; the
 * feed makes up for it.
 */
export type PostOutcome = 'sent' | 'gone' | 'dropped';

/** Work for a room with news, besides frames: events for webhooks, or notifications for devices. */
export type RoomTask = 'webhooks' | 'devices';

/** A room with news, and a key for deduplication: a queue accepts a room once for each `moment`. */
export type RoomNews = { room: string; moment: string };

/**
 * Reaches clients that are connected to a gateway. Lambda functions need it, because they are
 * suspended after their response.
 */
export type Carrier = {
  /**
   * Invokes the function `push` with an event, a JSON text. Throws if the event is not accepted.
   */
  invoke: (event: string) => Promise<void>;
  /** Enqueues a task for rooms. Throws if a room is not accepted. */
  queue: (task: RoomTask, news: RoomNews[]) => Promise<void>;
  /** Sends a frame to a connection. */
  post: (connection: string, frame: Uint8Array) => Promise<PostOutcome>;
  /** Ends a connection. */
  close: (connection: string) => Promise<void>;
};

/**
 * Undefined in a server, which has the connections itself. The host sets it before it loads a
 * function.
 */
export let carrier: Carrier | undefined;

/** Replaces the carrier. */
export function setCarrier(used: Carrier | undefined): void {
  carrier = used;
}
