/** A message in a notification. */
export type PushedMessage = {
  room: string;
  /** The message's place. */
  seq: number;
  author: string;
  /** Absent in a direct conversation. */
  room_name?: string;
  /** Absent if the user or the service hides texts in notifications. */
  text?: string;
  /** The thread, if the message appears only there. */
  thread?: string;
};

/**
 * The contents of a push. `messages`: new messages in a room, with the last one and the number of
 * unread ones. `reminder`: a saved message. `test`: a test push. The device writes the sentences.
 */
export type PushPayload =
  | ({ type: 'messages'; count: number } & PushedMessage)
  | ({ type: 'reminder' } & PushedMessage)
  | { type: 'test' };
