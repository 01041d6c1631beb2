import { idOf } from '../ids.ts';
import { me } from '../session.ts';
import { findMembers } from '../store/members.ts';
import { strings } from '../strings.ts';
import { endsInCode } from '../text/fence.ts';

/** What may be put in place of the last characters before the caret. `isMeant` says that Enter puts it there, too. */
export type Suggestion = { text: string; shown: string; detail: string; replaces: number; isMeant: boolean };

const most = 8;

/** What is looked at before the caret: more than the longest name, whatever the length of the text. */
const longest = 100;

/**
 * What the text before the caret could become: a member's name after `@`, an emoji after `:`. Enter takes a name that was begun. It takes no
 * emoji, and nobody after a lone `@`: a colon also stands before words, times and emoticons, and Enter is to send them as they are.
 */
export async function findSuggestions(room: string, text: string): Promise<Suggestion[]> {
  const typed = text.slice(-longest);
  const name = /(?<![\w.@＠/-]|\p{sc=Latn}|\p{sc=Grek}|\p{sc=Cyrl})[@＠]([\w.-]{0,64})$/u.exec(typed)?.[1];
  const code = /(?:^|\s):((?:[+-]\d|[a-z][a-z0-9_+-]|\d[a-z0-9_+-])[a-z0-9_+-]{0,28})$/i.exec(typed)?.[1];
  if ((name === undefined && code === undefined) || endsInCode(text)) return [];
  if (name !== undefined) return findNames(room, name.toLowerCase());
  return code === undefined ? [] : findCodes(code);
}

async function findCodes(code: string): Promise<Suggestion[]> {
  const { findEmoji } = await import('../text/emoji.ts');
  return findEmoji(code)
    .slice(0, most)
    .map(({ emoji, codes }) => ({
      text: `${emoji} `,
      shown: emoji,
      detail: `:${codes[0]}:`,
      replaces: code.length + 1,
      isMeant: false,
    }));
}

async function findNames(room: string, start: string): Promise<Suggestion[]> {
  // One more, as it may be me.
  const found = await findMembers(room, start, most + 1);
  const names = found.filter(({ user }) => user.$oid !== idOf(me())).map(({ username }) => username);
  // A name that was typed in full needs nothing more.
  const isBegun = (name: string) => start !== '' && name.toLowerCase().startsWith(start) && name.length > start.length;
  return names
    .slice(0, most)
    .map((name) => ({ text: `@${name} `, shown: '@', detail: name, replaces: start.length + 1, isMeant: isBegun(name) }));
}

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
        <bdi>{suggestion.detail}</bdi>
      </div>
    ))}
  </div>
);
