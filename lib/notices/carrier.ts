/** The outcome of a frame: it was sent, its connection is unknown, or it was given up, which the feed repairs. */
export type PostOutcome = 'sent' | 'gone' | 'dropped';

/**
 * Reaches the clients that are connected to a gateway, from functions that are frozen as soon as they have answered.
 */
export type Carrier = {
  /** Has the function `push` invoked with an event, a JSON text, or by that the function `notify`; throws when that is not accepted. */
  invoke: (event: string) => Promise<void>;
  /** Sends a frame to a connection. */
  post: (connection: string, frame: Uint8Array) => Promise<PostOutcome>;
  /** Ends a connection. */
  close: (connection: string) => Promise<void>;
};

/** None in a server, whose connections are its own. On AWS, `hosts/aws/carrier.ts` takes the place of this file. */
export let carrier: Carrier | undefined;

/** From now on this carrier is used, or none. */
export function setCarrier(used: Carrier | undefined): void {
  carrier = used;
}
