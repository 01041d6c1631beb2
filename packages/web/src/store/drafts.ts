import { cache } from './cache.ts';

/** Where a draft belongs: a room, or a thread in it. */
export const placeOf = (room: string, thread?: string): string => (thread === undefined ? room : `${room}/${thread}`);

const drafts = new Map<string, string>();
const unsaved = new Map<string, ReturnType<typeof setTimeout>>();

/** How long after the last key a draft is written, in milliseconds. */
const pause = 300;

/** Under which key the last words are kept, by their places, when the page goes too suddenly for the database. */
let lastWordsKey = '';

/** Reads all drafts of a user; before that there are none. */
export async function loadDrafts(user: string): Promise<void> {
  drafts.clear();
  lastWordsKey = `chat-drafts-${user}`;
  for (const { place, text } of (await (await cache())?.getAll('drafts')) ?? []) drafts.set(place, text);
  const kept = lastWords();
  localStorage.removeItem(lastWordsKey);
  for (const [place, text] of Object.entries(kept)) keepDraft(place, text);
}

/** What was typed at a place and not sent. */
export const draftOf = (place: string): string => drafts.get(place) ?? '';

/** Keeps what is typed, soon. */
export function keepDraft(place: string, text: string): void {
  if (text === '') drafts.delete(place);
  else drafts.set(place, text);
  clearTimeout(unsaved.get(place));
  unsaved.set(
    place,
    setTimeout(() => void save(place), pause),
  );
}

/** Forgets a draft that became a message: the outbox deletes what is stored of it. */
export function dropDraft(place: string): void {
  drafts.delete(place);
  clearTimeout(unsaved.get(place));
  unsaved.delete(place);
  forgetLastWords(place);
}

/** Writes what is not written yet: the page may be about to go, and nothing that takes time is sure to be done. */
export function saveDrafts(): void {
  if (unsaved.size > 0 && lastWordsKey !== '') {
    const unwritten = [...unsaved.keys()].map((place) => [place, draftOf(place)]);
    localStorage.setItem(lastWordsKey, JSON.stringify({ ...lastWords(), ...Object.fromEntries(unwritten) }));
  }
  for (const place of unsaved.keys()) void save(place);
}

const lastWords = (): Record<string, string> => JSON.parse(localStorage.getItem(lastWordsKey) ?? '{}');

/** The page did not go, and what was written last at a place is stored or sent: a later page must not find it there. */
function forgetLastWords(place: string): void {
  const { [place]: gone, ...others } = lastWords();
  if (gone !== undefined) localStorage.setItem(lastWordsKey, JSON.stringify(others));
}

async function save(place: string): Promise<void> {
  const timer = unsaved.get(place);
  clearTimeout(timer);
  const db = await cache();
  const text = drafts.get(place);
  if (text === undefined) await db?.delete('drafts', place);
  else await db?.put('drafts', { place, text });
  // The page may have gone before this, and more may have been typed.
  if (unsaved.get(place) !== timer) return;
  unsaved.delete(place);
  if (db) forgetLastWords(place);
}
