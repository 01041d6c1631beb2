import { lateCode } from '../device/late-code.ts';
import { tell } from '../device/tabs.ts';
import { ask, askFully, chat, Failure, type Message } from '../service/api.ts';
import { connection, connectionFailed } from '../store/connection.ts';
import type { Entry, Reason } from '../store/kept.ts';
import { applyToThreads } from '../store/threads/thread.ts';
import { knownTimeline } from '../store/timelines.ts';
import { longestPause, waitOf } from '../store/unsent/due.ts';
import { changeEntry, keepAsMessage, loadOutbox, onTheirWay, outbox, removeEntry } from '../store/unsent/outbox.ts';
import type { PendingMessage } from '../store/unsent/pending.ts';

let isRunning = false;
let isAsked = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let userLock = '';

/** From here on, the outbox of this user is sent. */
export const sendFor = (user: string): void => {
  userLock = `chat-outbox-${user}`;
};

/**
 * Sends the entries of the outbox that are due. Only one tab sends at a time. In browsers without
 * locks, as over plain http, two tabs may send the same entry: the key makes it one message.
 */
export async function sendOutbox(): Promise<void> {
  isAsked = true;
  if (isRunning) return;
  isRunning = true;
  try {
    while (isAsked) {
      isAsked = false;
      await alone(userLock, pass);
      if (userLock !== '' && nextUpload()) void uploadFirst();
    }
  } finally {
    isRunning = false;
    schedule();
  }
}

/**
 * Runs work while no other tab does. If the browser refuses locks, for example because site data is
 * blocked, it runs without one.
 */
async function alone(lock: string, work: () => Promise<void>): Promise<void> {
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
    return work();
  };
  try {
    await (navigator.locks ? navigator.locks.request(lock, begin) : begin());
  } catch (failure) {
    if (hasBegun) throw failure;
    await begin();
  }
}

/** Stops trying. */
export function stopSending(): void {
  clearTimeout(timer);
  userLock = '';
}

async function pass(): Promise<void> {
  await loadOutbox();
  for (let next = nextEntry(); next && userLock !== ''; next = nextEntry()) await attempt(next);
}

/**
 * The next entry of each room and of each message, oldest first. A waiting entry blocks the later
 * ones.
 */
function heads(): Entry[] {
  const rows = new Map<string, Entry>();
  for (const entry of outbox.value) {
    const row = entry.kind === 'send' ? entry.room : entry.message;
    if (entry.state === 'waiting' && !rows.has(row)) rows.set(row, entry);
  }
  return [...rows.values()];
}

/** True if files must be uploaded before the message is sent. */
const needsUpload = (entry: Entry): entry is PendingMessage =>
  entry.kind === 'send' && (entry.files ?? []).some(({ uploaded }) => uploaded === undefined);

const nextEntry = () => heads().find((entry) => !needsUpload(entry) && waitOf(entry) <= 0);
const nextUpload = () => heads().find((entry): entry is PendingMessage => needsUpload(entry) && waitOf(entry) <= 0);

const loadUploads = lateCode(() => import('../files/uploads.ts'));
const uploads = () =>
  loadUploads().catch(() => {
    throw new Failure(0, '');
  });

let isUploading = false;

/** Uploads what messages wait for, while those of other rooms are sent. */
async function uploadFirst(): Promise<void> {
  if (isUploading) return;
  isUploading = true;
  try {
    await alone(`${userLock}-files`, async () => {
      await loadOutbox();
      for (let next = nextUpload(); next && userLock !== ''; next = nextUpload()) {
        const entry = next;
        await tryFor(entry, async () => (await uploads()).upload(entry));
        void sendOutbox();
      }
    });
  } finally {
    isUploading = false;
  }
  await sendOutbox();
}

const attempt = (entry: Entry): Promise<void> =>
  tryFor(entry, async () => {
    const message = await perform(entry);
    connection.value = 'online';
    if (message) {
      knownTimeline(entry.room)?.apply({ messages: [message] });
      applyToThreads([message]);
      tell({ type: 'sent', key: entry.key, message });
    }
    await removeEntry(entry.id);
  });

/** Attempts an entry, or records why that failed. */
async function tryFor(entry: Entry, work: () => Promise<void>): Promise<void> {
  onTheirWay.value = new Set([...onTheirWay.value, entry.key]);
  try {
    await work();
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    // The session has ended: the entry waits for the next one.
    if (failure.status === 401) stopSending();
    else if (failure instanceof MessageGone) await keepAsMessage(entry.id, failure.thread);
    else await changeEntry(entry.id, outcomeOf(entry, failure));
  } finally {
    onTheirWay.value = new Set([...onTheirWay.value].filter((key) => key !== entry.key));
  }
}

function outcomeOf({ attempts }: Entry, failure: Failure) {
  if (!failure.isTemporary) {
    const reason: Reason = failure.status === 412 ? { kind: 'changed' } : { kind: 'said', sentence: failure.message };
    return { state: 'refused' as const, reason, attempts: attempts + 1 };
  }
  const isLimited = failure.status === 429;
  connectionFailed(isLimited);
  const pause = failure.retryAfter !== undefined ? failure.retryAfter * 1_000 : Math.min(longestPause, 1_000 * 2 ** attempts);
  const reason: Reason = { kind: isLimited ? 'limited' : 'unreachable' };
  return { reason, attempts: attempts + 1, retryAt: Date.now() + pause, pause };
}

async function perform(entry: Entry): Promise<Message | undefined> {
  if (entry.kind === 'send') {
    const files = (entry.files ?? []).map(({ uploaded = '' }) => uploaded);
    const reply = entry.thread !== null && { thread: entry.thread, ...(entry.isInRoom && { is_in_room: true }) };
    const body = { room: entry.room, text: entry.text, ...(files.length > 0 && { files }), ...reply };
    const params = { header: { 'Idempotency-Key': entry.key } };
    try {
      return (await ask(chat.POST('/api/messages', { params, body }))) as Message;
    } catch (failure) {
      const areGone = failure instanceof Failure && /^file_not_(found|uploaded)$/.test(failure.code ?? '');
      throw areGone ? await (await uploads()).startOver(entry) : failure;
    }
  }
  if (entry.kind === 'edit') return edit(entry);
  const params = { path: { message: entry.message } };
  if (entry.kind === 'pin') {
    const pin = '/api/messages/{message}/pin';
    return (await ask(entry.on ? chat.PUT(pin, { params, body: {} }) : chat.DELETE(pin, { params }))) as Message;
  }
  if (entry.kind === 'react') {
    const reaction = '/api/messages/{message}/reactions/{emoji}';
    const path = { ...params.path, emoji: entry.emoji };
    const call = entry.on ? chat.PUT(reaction, { params: { path }, body: {} }) : chat.DELETE(reaction, { params: { path } });
    return (await ask(call)) as Message;
  }
  await ask(chat.DELETE('/api/messages/{message}', { params }));
  return (await ask(chat.GET('/api/messages/{message}', { params }))) as Message;
}

/** The message of an edit no longer exists; `thread` is the thread that it was in. */
class MessageGone extends Failure {
  readonly thread: string | null;

  constructor(thread: string | null) {
    super(404, '');
    this.thread = thread;
  }
}

/**
 * So often a message may change in other ways, such as by reactions, while an edit of it is on its
 * way.
 */
const mostTries = 5;

/** Edits a message only if it still has the text that its author saw. */
async function edit({ message, text, base }: Entry & { kind: 'edit' }): Promise<Message> {
  for (let tries = 1; ; tries++) {
    const { now, tag } = await readForEdit(message);
    // The answer to an earlier attempt was lost.
    if (now.text === text) return now;
    if (base !== undefined && now.text !== base) throw new Failure(412, '');
    try {
      const params = { path: { message }, header: { 'If-Match': tag } };
      return (await ask(chat.PATCH('/api/messages/{message}', { params, body: { text } }))) as Message;
    } catch (failure) {
      const isChanged = failure instanceof Failure && (failure.status === 412 || failure.code === 'message_deleted');
      if (!isChanged || tries === mostTries) throw failure;
    }
  }
}

async function readForEdit(message: string): Promise<{ now: Message; tag: string }> {
  try {
    const { data, headers } = await askFully(chat.GET('/api/messages/{message}', { params: { path: { message } } }));
    const now = data as Message;
    if (now.deleted_at) throw new MessageGone(now.thread?.$oid ?? null);
    return { now, tag: headers.get('ETag') ?? '*' };
  } catch (failure) {
    throw failure instanceof Failure && failure.status === 404 && !(failure instanceof MessageGone)
      ? new MessageGone(null)
      : failure;
  }
}

function schedule(): void {
  clearTimeout(timer);
  const waits = heads()
    .filter((entry) => !isUploading || !needsUpload(entry))
    .map(waitOf);
  if (waits.length === 0 || userLock === '') return;
  timer = setTimeout(() => void sendOutbox(), Math.max(50, Math.min(...waits)));
}
