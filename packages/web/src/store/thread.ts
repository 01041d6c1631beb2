import { signal } from '@preact/signals';
import { ask, askFully, chat, Failure, type Message } from '../api.ts';
import { learnNamed } from './names.ts';
import { merge } from './window.ts';

/** The thread that is open beside a room: the message that it began with, and the replies that were read. */
export type Thread = {
  room: string;
  id: string;
  root: Message | undefined;
  replies: readonly Message[];
  hasMore: boolean;
  failure: Failure | undefined;
  isLoading: boolean;
};

/** The open thread. */
export const thread = signal<Thread | undefined>(undefined);

const pageSize = 100;

/** Opens a thread. */
export async function openThread(room: string, id: string): Promise<void> {
  if (thread.value?.id !== id)
    thread.value = { room, id, root: undefined, replies: [], hasMore: false, failure: undefined, isLoading: true };
  try {
    const root = (await ask(chat.GET('/api/messages/{message}', { params: { path: { message: id } } }))) as Message;
    change(id, { root, failure: undefined });
    await readReplies(room, id);
  } catch (failure) {
    change(id, { failure: failure instanceof Failure ? failure : new Failure(0, ''), isLoading: false });
  }
}

/** Reads the open thread again, of which nothing may be as it was. */
export async function readThreadAgain(): Promise<void> {
  const { value } = thread;
  if (!value) return;
  thread.value = undefined;
  await openThread(value.room, value.id);
}

/** Reads the replies before those that are there. */
export async function readReplies(room: string, id: string): Promise<void> {
  const before = thread.value?.replies[0]?.seq;
  const query = { room, thread: id, limit: pageSize, ...(before !== undefined && { before }) };
  const { data, headers } = await askFully<Message[]>(chat.GET('/api/messages', { params: { query } }));
  learnNamed(data);
  change(id, { replies: merge(thread.value?.replies ?? [], data), hasMore: headers.has('Link'), isLoading: false });
}

/** Closes it. */
export function closeThread(): void {
  thread.value = undefined;
}

/** Applies messages as they are now. */
export function applyToThreads(messages: readonly Message[]): void {
  const { value } = thread;
  if (!value) return;
  const root = messages.findLast(({ _id }) => _id.$oid === value.id);
  const replies = messages.filter((message) => message.thread?.$oid === value.id);
  if (root || replies.length > 0) change(value.id, { ...(root && { root }), replies: merge(value.replies, replies) });
}

const change = (id: string, changes: Partial<Thread>): void => {
  if (thread.value?.id === id) thread.value = { ...thread.value, ...changes };
};
