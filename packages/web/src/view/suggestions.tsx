import { idOf } from '../ids.ts';
import { me } from '../session.ts';
import { loadMembers, membersOf } from '../store/members.ts';
import { strings } from '../strings.ts';

/** What may be put in place of the last characters before the caret. */
export type Suggestion = { text: string; shown: string; detail: string; replaces: number };

const most = 8;

/** What what was typed so far could become: a member's name after `@`, an emoji after `:`. */
export async function findSuggestions(room: string, typed: string): Promise<Suggestion[]> {
  const name = /(?:^|[^\p{L}\p{N}_.@-])@([\w.-]{0,64})$/u.exec(typed)?.[1];
  if (name !== undefined) return findMembers(room, name.toLowerCase());
  const code = /(?:^|\s):([a-z0-9_+-]{2,30})$/i.exec(typed)?.[1];
  if (code === undefined) return [];
  const { findEmoji } = await import('../text/emoji.ts');
  return findEmoji(code)
    .slice(0, most)
    .map(({ emoji, codes }) => ({ text: `${emoji} `, shown: emoji, detail: `:${codes[0]}:`, replaces: code.length + 1 }));
}

async function findMembers(room: string, start: string): Promise<Suggestion[]> {
  // Without a connection the names that are known have to do.
  await loadMembers(room).catch(() => {});
  const names = (membersOf(room) ?? []).filter(({ user }) => user.$oid !== idOf(me())).map(({ username }) => username);
  const rank = (name: string) => (name.toLowerCase().startsWith(start) ? 0 : 1);
  return names
    .filter((name) => name.toLowerCase().includes(start))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, most)
    .map((name) => ({ text: `@${name} `, shown: '@', detail: name, replaces: start.length + 1 }));
}

/** The list of them. */
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
