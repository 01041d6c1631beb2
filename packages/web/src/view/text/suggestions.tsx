import { lateCode } from '../../device/late-code.ts';
import { later } from '../shared/later.tsx';
import type { Suggestion } from './find-suggestions.tsx';

/** Loads what finds suggestions. */
export const loadFinders = lateCode(() => import('./find-suggestions.tsx'));

/** What the text before the caret could become. Without a sign that begins something, it need not be looked at. */
export const findSuggestions = async (room: string, text: string): Promise<Suggestion[]> =>
  /[@＠#:/][^\n]*$/.test(text.slice(-100)) ? (await loadFinders()).findSuggestions(room, text) : [];

/** The suggestion to which an arrow key leads, round and round; undefined for another key. */
export const stepThrough = (key: string, index: number, count: number): number | undefined =>
  ({ ArrowDown: (index + 1) % count, ArrowUp: (Math.max(index, 0) + count - 1) % count })[key];

/** The list of suggestions. There is none before what finds them is loaded. */
export const Suggestions = later(
  async () => (await loadFinders()).SuggestionList,
  () => null,
);
