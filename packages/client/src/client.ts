import { type CallSettings, type Calls, createCalls, sender } from './calls.ts';
import { connectionOf } from './connection.ts';
import type { Id } from './contract.ts';
import { type EventStream, type FollowSettings, follow, type LiveSettings, type LiveStream, live } from './follow.ts';
import { type ListPath, type PageOf, type PagesSettings, pages } from './pages.ts';
import { type DownloadSettings, download, type UploadSettings, upload } from './upload.ts';

/** The service's address, the caller's token, how often requests are retried, and how news come. */
export type ClientSettings = CallSettings & {
  /** What makes WebSockets, where the platform has none (Node.js 20) or has another; `null` only ever polls. */
  WebSocket?: typeof globalThis.WebSocket | null;
};

/** The calls of the API (`GET`, `POST`, ... by path), lists page by page, and a way to follow a room. */
export type ChatClient = Calls & {
  /** The pages of a list, one after the other: `for await (const page of chat.pages('/api/directory'))`. */
  pages: <Path extends ListPath>(path: Path, settings?: PagesSettings<Path>) => AsyncGenerator<PageOf<Path>, void>;
  /** Announces a file for a room and uploads its bytes; returns the id that `files` of a message takes. */
  upload: (room: string, file: Blob, settings?: UploadSettings) => Promise<Id>;
  /** Reads a file, wherever the service keeps it. */
  download: (file: Id, settings?: DownloadSettings) => Promise<Blob>;
  /** The events of a room after `after` (an event's `cursor`), or from now on, until the caller stops iterating. */
  events: (room: string, settings?: FollowSettings) => EventStream;
  /** The news of all the caller's rooms: the events of each after its cursor in `after`, or from now on. */
  live: (settings?: LiveSettings) => LiveStream;
};

/** Creates a client that adds the token and an `Idempotency-Key`, and retries requests that are safe to repeat. */
export function createChatClient({ WebSocket = globalThis.WebSocket, ...settings }: ClientSettings): ChatClient {
  const client = createCalls(settings);
  const send = sender(settings);
  const chat = { client, connection: connectionOf(client, { baseUrl: settings.baseUrl, WebSocket: WebSocket ?? undefined }) };
  return Object.assign(client, {
    pages: <Path extends ListPath>(path: Path, options?: PagesSettings<Path>) => pages(client, path, options),
    upload: (room: string, file: Blob, options?: UploadSettings) => upload(client, send, room, file, options),
    download: (file: Id, options?: DownloadSettings) => download(client, send, file, options),
    events: (room: string, options?: FollowSettings) => follow(chat, room, options),
    live: (options?: LiveSettings) => live(chat, options),
  });
}
