import { useState } from 'preact/hooks';
import { isComposing } from '../../device/keyboard.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { noteEmoji, usualEmoji } from '../../store/emoji.ts';
import { type Emoji, emojiGroups, findEmoji } from '../../text/emoji.ts';
import { openDialog } from '../shared/dialog.tsx';
import './emoji-picker.css';

/** Opens a dialog in which one emoji can be picked. */
export function openEmojiPicker(onPick: (emoji: string) => void): void {
  openDialog(laterStrings.emoji.title, (close) => {
    const pick = (emoji: string) => {
      close();
      onPick(emoji);
    };
    return <EmojiPicker onPick={pick} />;
  });
}

/** Emoji, to find and to pick. */
function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }) {
  const [word, setWord] = useState('');
  const pick = (emoji: string) => {
    noteEmoji(emoji);
    onPick(emoji);
  };
  const found = word.trim() === '' ? undefined : findEmoji(word.trim()).slice(0, 120);
  return (
    <div class="emoji-picker">
      <input
        type="search"
        aria-label={laterStrings.emoji.search}
        placeholder={laterStrings.emoji.search}
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to find one
        autoFocus
        onInput={({ currentTarget }) => setWord(currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found ?? [];
          if (event.key !== 'Enter' || isComposing(event) || !first) return;
          event.preventDefault();
          pick(first.emoji);
        }}
      />
      <div class="emoji-groups">
        {found?.length === 0 && <p class="muted">{laterStrings.emoji.none}</p>}
        {found ? (
          <Grid emoji={found} onPick={pick} />
        ) : (
          <>
            <h3>{laterStrings.emoji.recent}</h3>
            <Grid emoji={usualEmoji().map((emoji) => ({ emoji, codes: [emoji], words: '' }))} onPick={pick} />
            {emojiGroups.map((group, at) => (
              <section key={laterStrings.emoji.groups[at]}>
                <h3>{laterStrings.emoji.groups[at]}</h3>
                <Grid emoji={group} onPick={pick} />
              </section>
            ))}
          </>
        )}
      </div>
    </div>
  );
}

const Grid = ({ emoji, onPick }: { emoji: readonly Emoji[]; onPick: (emoji: string) => void }) => (
  <ul class="emoji-grid" onKeyDown={moveFocus}>
    {emoji.map(({ emoji, codes }, at) => (
      <li key={emoji}>
        <button
          type="button"
          tabIndex={at === 0 ? 0 : -1}
          title={`:${codes[0]}:`}
          aria-label={codes[0]?.replaceAll('_', ' ') ?? ''}
          onClick={() => onPick(emoji)}
        >
          {emoji}
        </button>
      </li>
    ))}
  </ul>
);

function moveFocus(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const buttons = [...list.querySelectorAll('button')];
  const at = buttons.indexOf(event.target as HTMLButtonElement);
  const columns = Math.max(1, Math.round(list.clientWidth / (buttons[0]?.parentElement?.clientWidth ?? list.clientWidth)));
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  if (step === undefined || at < 0) return;
  event.preventDefault();
  buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
}
