/** The outcome of a frame: it was sent, its connection is unknown, or it was given up, which the feed repairs. */
export type PostOutcome = 'sent' | 'gone' | 'dropped';

/** Work for a room that has news, beside frames: events to the receivers of webhooks, notifications to devices. */
export type RoomTask = 'webhooks' | 'devices';

/** A room that has news, and a name of the moment: a queue takes a room once for each moment. */
export type RoomNews = { room: string; moment: string };

/**
 * Reaches the clients that are connected to a gateway, from functions that are frozen as soon as they have answered.
 */
export type Carrier = {
  /** Has the function `push` invoked with an event, a JSON text; throws if that is not accepted. */
  invoke: (event: string) => Promise<void>;
  /** Queues a task for rooms; throws if a room is not accepted. */
  queue: (task: RoomTask, news: RoomNews[]) => Promise<void>;
  /** Sends a frame to a connection. */
  post: (connection: string, frame: Uint8Array) => Promise<PostOutcome>;
  /** Ends a connection. */
  close: (connection: string) => Promise<void>;
};

/** None in a server, whose connections are its own. The host sets it before it loads a function. */
export let carrier: Carrier | undefined;

/** From now on this carrier is used, or none. */
export function setCarrier(used: Carrier | undefined): void {
  carrier = used;
}
