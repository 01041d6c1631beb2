import { strings } from '../strings.ts';
import { endsInCode } from '../text/fence.ts';
import type { Suggestion } from './find-suggestions.ts';
import { lateCode } from './later.tsx';

/** Loads what finds suggestions. */
export const loadFinders = lateCode(() => import('./find-suggestions.ts'));

/** What is looked at before the caret: more than the longest name, whatever the length of the text. */
const longest = 100;

/**
 * What the text before the caret could become: a member's name after `@`, an emoji after `:`. Enter takes a name that was begun. It takes no
 * emoji, and nobody after a lone `@`: a colon also stands before words, times and emoticons, and Enter is to send them as they are.
 */
export async function findSuggestions(room: string, text: string): Promise<Suggestion[]> {
  const typed = text.slice(-longest);
  const name = /(?<![\w.@＠/-]|\p{sc=Latn}|\p{sc=Grek}|\p{sc=Cyrl})[@＠]([\p{L}\p{M}\p{N}_.-]{0,64})$/u.exec(typed)?.[1];
  const code = /(?:^|\s):((?:[+-]\d|[a-z][a-z0-9_+-]|\d[a-z0-9_+-])[a-z0-9_+-]{0,28})$/i.exec(typed)?.[1];
  if ((name === undefined && code === undefined) || endsInCode(text)) return [];
  const { findNames, findCodes } = await loadFinders();
  if (name !== undefined) return findNames(room, name);
  return code === undefined ? [] : findCodes(code);
}

/** The suggestion to which an arrow key leads, round and round; undefined for another key. */
export const stepThrough = (key: string, index: number, count: number): number | undefined =>
  ({ ArrowDown: (index + 1) % count, ArrowUp: (Math.max(index, 0) + count - 1) % count })[key];

/** The list of suggestions. */
export const Suggestions = ({
  suggestions,
  index,
  onPick,
}: {
  suggestions: Suggestion[];
  index: number;
  onPick: (picked: Suggestion) => void;
}) => (
  <div class="suggestions" id="suggestions" role="listbox" aria-label={strings.composer.suggestions}>
    {suggestions.map((suggestion, at) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field that has the focus takes the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
      <div
        key={suggestion.detail}
        id={`suggestion-${at}`}
        role="option"
        aria-selected={at === index}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onPick(suggestion)}
      >
        <span class="shown" aria-hidden="true">
          {suggestion.shown}
        </span>
        <bdi>{suggestion.name ?? suggestion.detail}</bdi>
        {suggestion.name !== undefined && (
          <small class="muted">
            <bdi>@{suggestion.detail}</bdi>
          </small>
        )}
      </div>
    ))}
  </div>
);
