import { cache } from './cache.ts';

/** Where a draft belongs: a room, or a thread in it. */
export const placeOf = (room: string, thread?: string): string => (thread === undefined ? room : `${room}/${thread}`);

const drafts = new Map<string, string>();
const unsaved = new Map<string, ReturnType<typeof setTimeout>>();

/** How long after the last key a draft is written, in milliseconds. */
const pause = 300;

/** Where the last words are kept when the page goes too suddenly for the database. */
let lastWords = '';

/** Reads all drafts of a user; before that there are none. */
export async function loadDrafts(user: string): Promise<void> {
  drafts.clear();
  lastWords = `chat-drafts-${user}`;
  for (const { place, text } of (await (await cache())?.getAll('drafts')) ?? []) drafts.set(place, text);
  const kept: Record<string, string> = JSON.parse(localStorage.getItem(lastWords) ?? '{}');
  localStorage.removeItem(lastWords);
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
}

/** Writes what is not written yet: the page may be about to go, and nothing that takes time is sure to be done. */
export function saveDrafts(): void {
  if (unsaved.size > 0 && lastWords !== '')
    localStorage.setItem(
      lastWords,
      JSON.stringify(Object.fromEntries([...unsaved.keys()].map((place) => [place, draftOf(place)]))),
    );
  for (const place of unsaved.keys()) void save(place);
}

async function save(place: string): Promise<void> {
  const timer = unsaved.get(place);
  clearTimeout(timer);
  const db = await cache();
  const text = drafts.get(place);
  if (text === undefined) await db?.delete('drafts', place);
  else await db?.put('drafts', { place, text });
  // The page may have gone before this, and more may have been typed.
  if (unsaved.get(place) === timer) unsaved.delete(place);
}
