import { delay } from 'chat-service-client/retry';
import { me } from '../account/session.ts';
import { ask, askFully, chat, Failure, type Member, type Message, type RoomDetails } from '../service/api.ts';
import { idOf } from '../service/ids.ts';
import { settings } from '../service/settings.ts';
import { nextOf } from '../store/people/members.ts';

/** The progress: the number of rooms, of rooms that were read, and of their messages. */
export type Progress = { rooms: number; done: number; messages: number };

type CollectOptions = { signal: AbortSignal; onProgress: (progress: Progress) => void };

/** The largest page that the service returns. */
const limit = 200;

/**
 * Reads all data that the service stores about the user, page by page: a line of JSON for each
 * item. The first line describes the file, the last one confirms that it is complete. The data is
 * collected in blobs, which browsers keep on the disk.
 */
export async function collectMyData({ signal, onProgress }: CollectOptions): Promise<Blob> {
  const parts: Blob[] = [];
  const counts: Record<string, number> = {};
  const write = (kind: string, things: readonly unknown[]) => {
    counts[kind] = (counts[kind] ?? 0) + things.length;
    parts.push(new Blob(things.map((thing) => `${JSON.stringify({ [kind]: thing })}\n`)));
  };
  const call = <T>(work: () => Promise<T>) => patiently(work, signal);

  write('export', [{ service: settings.name, address: location.origin, exported_at: { $date: new Date().toISOString() } }]);
  write('account', [await call(() => ask(chat.GET('/api/users/{user}', { params: { path: { user: 'me' } } })))]);
  write('passkey', (await call(() => ask(chat.GET('/api/passkeys')))).passkeys);
  const members: Member[] = [];
  const memberships = (after?: string) =>
    askFully<Member[]>(
      chat.GET('/api/members', { params: { query: { user: 'me', limit, ...(after !== undefined && { after }) } } }),
    );
  for await (const page of pagesOf(memberships, call)) members.push(...page);

  const user = idOf(me());
  const progress = { rooms: members.length, done: 0, messages: 0 };
  for (const membership of members) {
    onProgress({ ...progress });
    const room = membership.room.$oid;
    const written = (after = '0') =>
      askFully<Message[]>(chat.GET('/api/messages', { params: { query: { room, user, limit, after: Number(after) } } }));
    try {
      const params = { path: { room } };
      const details: RoomDetails = await call(() => ask(chat.GET('/api/rooms/{room}/details', { params })));
      write('room', [{ membership, details }]);
      for await (const page of pagesOf(written, call)) {
        const messages = page.filter(({ deleted_at }) => deleted_at === null);
        write('message', messages);
        const files = messages.flatMap((message) =>
          message.files.map((file) => ({ ...file, message: message._id, room: message.room })),
        );
        write('file', files);
        progress.messages += messages.length;
        onProgress({ ...progress });
      }
    } catch (failure) {
      // I am no longer in that room.
      if (!(failure instanceof Failure) || ![403, 404].includes(failure.status)) throw failure;
    }
    progress.done++;
  }
  onProgress({ ...progress });

  const saved = (after?: string) =>
    askFully(chat.GET('/api/saved', { params: { query: { limit, ...(after !== undefined && { after }) } } }));
  for await (const page of pagesOf(saved, call)) write('saved', page);
  write('end', [{ ...counts }]);
  return new Blob(parts, { type: 'application/x-ndjson' });
}

type Read<T> = (cursor?: string) => Promise<{ data: readonly T[]; headers: Headers }>;

/** All pages of a list. */
async function* pagesOf<T>(read: Read<T>, call: <R>(work: () => Promise<R>) => Promise<R>): AsyncGenerator<readonly T[]> {
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const { data, headers } = await call(() => read(cursor));
    yield data;
    cursor = nextOf(headers);
  }
}

/** How often a request that fails temporarily is repeated. */
const mostAttempts = 5;

/** Repeats temporary failures, after the time that the service wants, or with growing pauses. */
async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof Failure) || !failure.isTemporary || attempt === mostAttempts) throw failure;
      await delay((failure.retryAfter ?? 2 ** attempt) * 1_000, signal);
    }
  }
}
