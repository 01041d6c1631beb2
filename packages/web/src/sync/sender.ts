import { ask, chat, Failure, type Message } from '../api.ts';
import type { Entry, Reason } from '../store/kept.ts';
import { changeEntry, loadOutbox, onTheirWay, outbox, removeEntry } from '../store/outbox.ts';
import { applyToThreads } from '../store/thread.ts';
import { knownTimeline } from '../store/timelines.ts';
import { tell } from '../tabs.ts';
import { connection } from './connection.ts';

/** Longest time between two attempts, in milliseconds. */
const longestPause = 30_000;

let isRunning = false;
let isAsked = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let userLock = '';

/** From here on, the outbox of this user is sent. */
export const sendFor = (user: string): void => {
  userLock = `chat-outbox-${user}`;
};

/**
 * Sends what waits in the outbox and may be tried now. Of several tabs one does it at a time; where the browser has no locks, as over plain
 * http, two may send the same, and the key makes it one.
 */
export async function sendOutbox(): Promise<void> {
  isAsked = true;
  if (isRunning) return;
  isRunning = true;
  try {
    while (isAsked) {
      isAsked = false;
      await passAlone();
    }
  } finally {
    isRunning = false;
    schedule();
  }
}

/** Makes a pass while no other tab does; where the browser refuses a lock, as it does where site data is blocked, without one. */
async function passAlone(): Promise<void> {
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
    return pass();
  };
  try {
    await (navigator.locks ? navigator.locks.request(userLock, begin) : begin());
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

/** The oldest entry that may be tried. Messages of a room go in order: one that waits lets no later one pass. */
function nextEntry(): Entry | undefined {
  const waiting = new Set<string>();
  for (const entry of outbox.value) {
    if (entry.state === 'refused') continue;
    const row = entry.kind === 'send' ? entry.room : entry.message;
    if (waiting.has(row)) continue;
    if (entry.retryAt <= Date.now()) return entry;
    waiting.add(row);
  }
  return undefined;
}

async function attempt(entry: Entry): Promise<void> {
  onTheirWay.value = new Set([...onTheirWay.value, entry.key]);
  try {
    const message = await perform(entry);
    connection.value = 'online';
    if (message) {
      knownTimeline(entry.room)?.apply({ messages: [message] });
      applyToThreads([message]);
      tell({ type: 'sent', key: entry.key, message });
    }
    await removeEntry(entry.id);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    // The session has ended: it waits for the next one.
    if (failure.status === 401) stopSending();
    else await changeEntry(entry.id, outcomeOf(entry, failure));
  } finally {
    onTheirWay.value = new Set([...onTheirWay.value].filter((key) => key !== entry.key));
  }
}

function outcomeOf({ attempts }: Entry, failure: Failure) {
  if (!failure.isTemporary) {
    const reason: Reason = { kind: 'said', sentence: failure.message };
    return { state: 'refused' as const, reason, attempts: attempts + 1 };
  }
  const isLimited = failure.status === 429;
  connection.value = isLimited ? 'limited' : 'offline';
  const pause = failure.retryAfter !== undefined ? failure.retryAfter * 1_000 : Math.min(longestPause, 1_000 * 2 ** attempts);
  const reason: Reason = { kind: isLimited ? 'limited' : 'unreachable' };
  return { reason, attempts: attempts + 1, retryAt: Date.now() + pause };
}

async function perform(entry: Entry): Promise<Message | undefined> {
  if (entry.kind === 'send') {
    const body = { room: entry.room, text: entry.text, ...(entry.thread !== null && { thread: entry.thread }) };
    const params = { header: { 'Idempotency-Key': entry.key } };
    return (await ask(chat.POST('/api/messages', { params, body }))) as Message;
  }
  const params = { path: { message: entry.message } };
  if (entry.kind === 'edit')
    return (await ask(chat.PATCH('/api/messages/{message}', { params, body: { text: entry.text } }))) as Message;
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

function schedule(): void {
  clearTimeout(timer);
  const times = outbox.value.filter(({ state }) => state === 'waiting').map(({ retryAt }) => retryAt);
  if (times.length === 0 || userLock === '') return;
  timer = setTimeout(() => void sendOutbox(), Math.max(50, Math.min(...times) - Date.now()));
}
