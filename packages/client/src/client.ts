import { type CallSettings, type Calls, createCalls, sender } from './calls.ts';
import { connectionOf } from './connection.ts';
import type { Id } from './contract.ts';
import { type EventStream, type FollowSettings, follow, type LiveSettings, type LiveStream, live } from './follow.ts';
import { type ListPath, type PageOf, type PagesSettings, pages } from './pages.ts';
import { type MessageStream, type StreamSettings, type StreamTarget, stream } from './stream.ts';
import { type DownloadSettings, download, type UploadSettings, upload } from './upload.ts';

/** The service's address, the caller's token, the retries of requests, and the WebSocket class. */
export type ClientSettings = CallSettings & {
  /**
   * The WebSocket class, if the platform does not have one (Node.js 20) or you want another. With
   * `null`, the client only polls.
   */
  WebSocket?: typeof globalThis.WebSocket | null;
};

/** The calls of the API (`GET`, `POST`, ... by path), paged lists, files, and streams of events. */
export type ChatClient = Calls & {
  /** The pages of a list: `for await (const page of chat.pages('/api/directory'))`. */
  pages: <Path extends ListPath>(path: Path, settings?: PagesSettings<Path>) => AsyncGenerator<PageOf<Path>, void>;
  /**
   * Announces a file for a room and uploads its bytes. Returns the id for the `files` of a message.
   */
  upload: (room: string, file: Blob, settings?: UploadSettings) => Promise<Id>;
  /** Downloads a file, wherever the service keeps it. */
  download: (file: Id, settings?: DownloadSettings) => Promise<Blob>;
  /** Creates a message whose text streams, for bots and agents. */
  stream: (target: StreamTarget, settings?: StreamSettings) => MessageStream;
  /**
   * The events of a room after `after` (an event's `cursor`), or from now on. It ends when the
   * caller stops iterating.
   */
  events: (room: string, settings?: FollowSettings) => EventStream;
  /**
   * The news of all the caller's rooms: the events of each after its cursor in `after`, or from now
   * on.
   */
  live: (settings?: LiveSettings) => LiveStream;
};

/**
 * Creates a client that adds the token and an `Idempotency-Key`, and retries requests that are safe
 * to repeat.
 */
export function createChatClient({ WebSocket = globalThis.WebSocket, ...settings }: ClientSettings): ChatClient {
  const client = createCalls(settings);
  const send = sender(settings);
  const chat = { client, connection: connectionOf(client, { baseUrl: settings.baseUrl, WebSocket: WebSocket ?? undefined }) };
  return Object.assign(client, {
    pages: <Path extends ListPath>(path: Path, options?: PagesSettings<Path>) => pages(client, path, options),
    upload: (room: string, file: Blob, options?: UploadSettings) => upload(client, send, room, file, options),
    download: (file: Id, options?: DownloadSettings) => download(client, send, file, options),
    stream: (target: StreamTarget, options?: StreamSettings) => stream(client, target, options),
    events: (room: string, options?: FollowSettings) => follow(chat, room, options),
    live: (options?: LiveSettings) => live(chat, options),
  });
}
