import { computed } from '@preact/signals';
import type { Message } from '../../service/api.ts';
import { knownEpoch } from '../epoch.ts';
import type { Entry } from '../kept.ts';
import { outbox } from './outbox.ts';

/** A message that is still to be sent. */
export type PendingMessage = Extract<Entry, { kind: 'send' }>;

/** The unconfirmed changes of existing messages, by message. */
const changes = computed(() => {
  const byMessage = new Map<string, Exclude<Entry, { kind: 'send' }>[]>();
  for (const entry of outbox.value) {
    if (entry.kind === 'send') continue;
    const known = byMessage.get(entry.message);
    if (known) known.push(entry);
    else byMessage.set(entry.message, [entry]);
  }
  return byMessage;
});

/** The unconfirmed changes of a message. */
export const changesOf = (message: string): readonly Exclude<Entry, { kind: 'send' }>[] => changes.value.get(message) ?? none;

const none: [] = [];

/** A message as it will be when all that is still to be done to it is done. */
export function withChanges(message: Message, entries: readonly Exclude<Entry, { kind: 'send' }>[], me: string): Message {
  let shown = message;
  for (const entry of entries) {
    if (entry.state === 'refused') continue;
    if (entry.kind === 'edit') shown = { ...shown, text: entry.text };
    else if (entry.kind === 'pin')
      shown = { ...shown, pinned_at: entry.on ? (shown.pinned_at ?? { $date: new Date(entry.madeAt).toISOString() }) : null };
    else if (entry.kind === 'react') shown = { ...shown, reactions: withReaction(shown.reactions, entry.emoji, entry.on, me) };
  }
  return shown;
}

function withReaction(reactions: Message['reactions'], emoji: string, on: boolean, me: string): Message['reactions'] {
  const known = reactions.find((reaction) => isSameReaction(reaction.emoji, emoji));
  const users = (known?.users ?? []).filter(({ $oid }) => $oid !== me);
  const changed = { emoji: known?.emoji ?? emoji, users: on ? [...users, { $oid: me }] : users };
  const all = known ? reactions.map((reaction) => (reaction === known ? changed : reaction)) : [...reactions, changed];
  return all.filter((reaction) => reaction.users.length > 0);
}

/**
 * True if two reactions are equal for the service. Older parts of the page store emoji with
 * selectors that make no difference.
 */
export const isSameReaction = (one: string, other: string): boolean => withoutSelectors(one) === withoutSelectors(other);

const withoutSelectors = (emoji: string) => emoji.replace(/[\ufe0e\ufe0f]/g, '');

/**
 * The unsent messages of a room or thread. One that arrived with the feed after its response was
 * lost is left out, until a retry confirms it.
 */
export function pendingIn(room: string, thread: string | null, messages: readonly Message[], me: string): PendingMessage[] {
  const pending = outbox.value.filter(
    (entry): entry is PendingMessage => entry.kind === 'send' && entry.room === room && entry.thread === thread,
  );
  if (pending.length === 0) return pending;
  const arrived = messages.filter(({ user }) => user.$oid === me);
  const taken = new Set<Message>();
  return pending.filter((entry) => {
    const since = entry.madeAt - clockToleranceMs;
    const after = entry.epoch === knownEpoch() ? entry.after : 0;
    const found = arrived.find(
      (message) =>
        !taken.has(message) &&
        entry.state === 'waiting' &&
        message.text === entry.text &&
        sizesOf(message) === sizesOf(entry) &&
        (message.thread?.$oid ?? null) === thread &&
        Date.parse(message.created_at.$date) > since &&
        message.seq > after,
    );
    if (found) taken.add(found);
    return !found;
  });
}

/** By their sizes the files of a message are known again. */
const sizesOf = ({ files = [] }: { files?: readonly { size: number }[] | undefined }) => files.map(({ size }) => size).join();

/** By how much the clocks of this device and the service may differ. */
const clockToleranceMs = 600_000;
