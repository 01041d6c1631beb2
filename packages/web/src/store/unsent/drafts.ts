import { signal } from '@preact/signals';
import { forgetName, recallJson, remember } from '../../device/storage.ts';
import { nameOfTab, tabsOpen, tell } from '../../device/tabs.ts';
import type { Message } from '../../service/api.ts';
import { cache, noteProblem } from '../cache.ts';

/*
 * Each tab has its own drafts, so two tabs never overwrite each other's text at the same place. A
 * tab takes over the drafts of closed tabs. It shows those of open tabs if it lacks its own. Both
 * are cleared when the draft becomes a message. Of several edits of one message, it takes over the
 * last one.
 */

/** The key of a draft: a room, or a thread in it. */
export const placeOf = (room: string, thread?: string): string => (thread === undefined ? room : `${room}/${thread}`);

/** The key of an edit's draft, independent of the message's current text. */
export const placeOfEdit = ({ room, thread, seq, _id }: Message): string => [room.$oid, thread?.$oid, seq, _id.$oid].join('/');

const isOfEdit = (place: string) => place.split('/').length > 2;

/** The key of a draft that another tab has sent or discarded; views clear it. */
export const sentElsewhere = signal<string | undefined>(undefined);

/** The texts of drafts, by place. */
const drafts = new Map<string, string>();

/** The places with a draft. */
export const drafted = signal<ReadonlySet<string>>(new Set());

function setDraft(place: string, text: string): void {
  if (text === '') drafts.delete(place);
  else drafts.set(place, text);
  // Most keys change nothing here.
  if (drafted.value.has(place) !== drafts.has(place)) drafted.value = new Set(drafts.keys());
}

/** By place: the draft of another tab that was shown here at first. */
const copies = new Map<string, { key: string; text: string }>();
const unsaved = new Map<string, ReturnType<typeof setTimeout>>();

/** The delay between the last key and the storing of a draft. */
const pauseMs = 300;

/** The name of the stored last words, for a page that closes too suddenly for the database. */
let lastWordsName = '';
let tab = '';

/** The database key of a draft of this tab. */
const keyOf = (place: string) => `${place}|${tab}`;

/** Loads the drafts of a user. */
export async function loadDrafts(user: string): Promise<void> {
  drafts.clear();
  drafted.value = new Set();
  copies.clear();
  lastWordsName = `chat-drafts-${user}`;
  tab = await nameOfTab();
  const isOpen = await tabsOpen();
  const db = await cache();
  const stored = (await db?.getAll('drafts').catch(noteProblem)) ?? [];
  const texts = new Map(stored.map(({ place: key, text }) => [key, text]));
  for (const [key, text] of Object.entries(lastWords())) texts.set(key, text);

  const found = [...texts].map(([key, text]) => {
    const [place = '', owner = ''] = key.split('|');
    return { key, place, text, rank: owner === tab ? 0 : isOpen(owner) ? 2 : 1 };
  });
  for (const { key, place, text, rank } of found.toSorted((one, other) => one.rank - other.rank)) {
    if (text === '') continue;
    const known = drafts.get(place);
    if (rank === 2 && known !== undefined) continue;
    setDraft(place, known === undefined ? text : isOfEdit(place) ? laterOf(known, text) : joined(known, text));
    if (rank === 2) copies.set(place, { key, text: draftOf(place) });
  }
  const mine = found.filter(({ rank }) => rank < 2);
  const isStored = (place: string) => stored.some((draft) => draft.place === keyOf(place) && draft.text === drafts.get(place));
  await Promise.all(mine.filter(({ place }) => !copies.has(place) && !isStored(place)).map(({ place }) => save(place)));
  for (const { key, rank } of mine) {
    forgetLastWords(key);
    if (rank === 1) await db?.delete('drafts', key).catch(noteProblem);
  }
}

const joined = (one: string, other: string) => (other.includes(one) ? other : one.includes(other) ? one : `${one}\n${other}`);

/** The later of two tabs' versions of an edit: two texts for one message must not be joined. */
const laterOf = (one: string, other: string) => (aboutEdit(other)[1] > aboutEdit(one)[1] ? other : one);

/** The unsent text at a place. */
export function draftOf(place: string): string {
  const kept = drafts.get(place) ?? '';
  return isOfEdit(place) ? kept.slice(0, Math.max(0, kept.lastIndexOf('\n'))) : kept;
}

/** The text over which an edit was typed that waits. */
export function baseOf(place: string): string | undefined {
  const kept = drafts.get(place);
  return kept && aboutEdit(kept)[0];
}

/** The last line of an edit that is kept. */
const aboutEdit = (kept: string): [base: string, at: number] => JSON.parse(kept.slice(kept.lastIndexOf('\n') + 1));

/**
 * Stores an edit of a message after a pause, together with the text that it replaces, so that it
 * cannot replace another text.
 */
export const keepEdit = (place: string, text: string, base: string): void =>
  keepDraft(place, text === base || text === '' ? '' : `${text}\n${JSON.stringify([base, Date.now()])}`);

/** How many drafts of a user there are in this browser. */
export async function countDrafts(): Promise<number> {
  const stored = (await (await cache())?.getAll('drafts').catch(noteProblem)) ?? [];
  const others = stored.filter(({ place: key, text }) => !key.endsWith(`|${tab}`) && text !== '');
  return new Set([...drafts.keys(), ...others.map(({ place: key }) => key.split('|')[0])]).size;
}

/** Stores a draft after a pause. */
export function keepDraft(place: string, text: string): void {
  setDraft(place, text);
  clearTimeout(unsaved.get(place));
  unsaved.set(
    place,
    setTimeout(() => void save(place), pauseMs),
  );
}

/**
 * Forgets a draft that became a message, here and in other tabs. Returns the keys that the outbox
 * must delete.
 */
export function dropDraft(place: string, text: string): string[] {
  const copied = copies.get(place);
  forgetDraft(place);
  tell({ type: 'draft-sent', place, text, of: copied?.text });
  return [keyOf(place), ...(copied && text.includes(copied.text.trim()) ? [copied.key] : [])];
}

/** Throws a draft away, here and where other tabs have the same. */
export async function discardDraft(place: string): Promise<void> {
  const keys = dropDraft(place, draftOf(place).trim());
  sentElsewhere.value = place;
  await deleteStored(keys);
}

/**
 * Deletes stored drafts by their keys. If the page closes before the database has done it, a later
 * page still does not find them.
 */
async function deleteStored(keys: readonly string[]): Promise<void> {
  setLastWords(Object.fromEntries(keys.map((key) => [key, ''])));
  const db = await cache();
  for (const key of keys) if (await db?.delete('drafts', key).then(() => true, noteProblem)) forgetLastWords(key);
}

/** Forgets a draft that another tab has sent, or made a message of. */
export function dropSentDraft({ place, text, of }: { place: string; text: string; of: string | undefined }): void {
  const mine = draftOf(place).trim();
  if (mine === '' || (mine !== text && !(mine === of?.trim() && text.includes(mine)))) return;
  forgetDraft(place);
  void deleteStored([keyOf(place)]);
  sentElsewhere.value = place;
}

function forgetDraft(place: string): void {
  setDraft(place, '');
  copies.delete(place);
  clearTimeout(unsaved.get(place));
  unsaved.delete(place);
  forgetLastWords(keyOf(place));
}

/** Writes unsaved drafts. The page may be about to close, so only synchronous storage is safe. */
export function saveDrafts(): void {
  if (unsaved.size > 0 && lastWordsName !== '') {
    setLastWords(Object.fromEntries([...unsaved.keys()].map((place) => [keyOf(place), drafts.get(place) ?? ''])));
  }
  for (const place of unsaved.keys()) void save(place);
}

const lastWords = (): Record<string, string> => recallJson(lastWordsName, {});

const setLastWords = (words: Record<string, string>) => remember(lastWordsName, JSON.stringify({ ...lastWords(), ...words }));

/**
 * The page stayed open, and the last words at a place were stored or sent. A later page must not
 * find them.
 */
function forgetLastWords(key: string): void {
  const { [key]: gone, ...others } = lastWords();
  if (gone === undefined) return;
  if (Object.keys(others).length > 0) remember(lastWordsName, JSON.stringify(others));
  else forgetName(lastWordsName);
}

async function save(place: string): Promise<void> {
  const timer = unsaved.get(place);
  clearTimeout(timer);
  const db = await cache();
  const text = drafts.get(place);
  const key = keyOf(place);
  const work = text === undefined ? db?.delete('drafts', key) : db?.put('drafts', { place: key, text });
  const isDone = await work?.then(() => true).catch(noteProblem);
  // The page may have gone before this, and more may have been typed.
  if (unsaved.get(place) !== timer) return;
  unsaved.delete(place);
  if (isDone) forgetLastWords(key);
  // If the database is full, local storage may have room.
  else if (db) setLastWords({ [key]: text ?? '' });
}
