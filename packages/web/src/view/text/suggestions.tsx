import { lateCode } from '../../device/late-code.ts';
import { later } from '../shared/later.tsx';
import type { Suggestion } from './find-suggestions.tsx';

/** Loads what finds suggestions. */
export const loadFinders = lateCode(() => import('./find-suggestions.tsx'));

/** Loads the suggestions only if the text before the caret contains a sign that begins one. */
export const findSuggestions = async (room: string, text: string): Promise<Suggestion[]> =>
  /[@＠#:/][^\n]*$/.test(text.slice(-100)) ? (await loadFinders()).findSuggestions(room, text) : [];

/** The suggestion that an arrow key selects, in a circle; undefined for another key. */
export const stepThrough = (key: string, index: number, count: number): number | undefined =>
  ({ ArrowDown: (index + 1) % count, ArrowUp: (Math.max(index, 0) + count - 1) % count })[key];

/** The list of suggestions. It is empty until its code is loaded. */
export const Suggestions = later(
  async () => (await loadFinders()).SuggestionList,
  () => null,
);
