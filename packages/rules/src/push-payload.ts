/** A message of which a device is told. */
export type PushedMessage = {
  room: string;
  /** Its place. */
  seq: number;
  author: string;
  /** Absent in a direct conversation. */
  room_name?: string;
  /** Absent where the user or the service wants notifications without. */
  text?: string;
  /** The thread in which alone it stands. */
  thread?: string;
};

/**
 * What a push tells a device: of messages in a room, of which it has the last one and how many are unread; of one of
 * which somebody wants to be reminded; or that pushes arrive. The device makes the sentences.
 */
export type PushPayload =
  | ({ type: 'messages'; count: number } & PushedMessage)
  | ({ type: 'reminder' } & PushedMessage)
  | { type: 'test' };
