/** What a push tells a device: of messages in a room, or that pushes arrive. The device makes the sentences. */
export type PushPayload =
  | {
      type: 'messages';
      room: string;
      /** The place of the last one, and how many are unread that it is told of. */
      seq: number;
      count: number;
      author: string;
      /** Absent in a direct conversation. */
      room_name?: string;
      text: string;
      /** The thread in which alone it stands. */
      thread?: string;
    }
  | { type: 'test' };
