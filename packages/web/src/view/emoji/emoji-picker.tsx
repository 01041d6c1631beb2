import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isComposing } from '../../device/keyboard.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { chooseTone, chosenTone, noteEmoji, usualEmoji } from '../../store/emoji.ts';
import { type Emoji, emojiGroups, emojiNamed, findEmoji, tones, withTone } from '../../text/emoji.ts';
import { closePopover, isTouched, openPopover } from '../shared/popover.tsx';
import './emoji-picker.css';

/** Opens a popover with emoji at an element. */
export function openEmojiPicker(opener: HTMLElement, onPick: (emoji: string) => void): void {
  const pick = (emoji: string) => {
    noteEmoji(emoji);
    closePopover();
    onPick(emoji);
  };
  openPopover({
    opener,
    role: 'dialog',
    label: laterStrings.emoji.title,
    content: <EmojiPicker onPick={pick} />,
    class: 'emoji-picker',
  });
}

/** The number of emoji in a row, and the most that are found. */
const columns = 8;
const mostFound = 120;

/** A part of the list: those that are often used, or a group. */
type Part = { title: string; sign: string; emoji: readonly Emoji[] };

const unknownEmoji = (emoji: string): Emoji => ({ emoji, codes: [emoji], name: emoji, words: '' });

const partsOf = (): Part[] => [
  {
    title: laterStrings.emoji.recent,
    sign: '🕘',
    emoji: usualEmoji().map((one) => ({ ...(emojiNamed(one) ?? unknownEmoji(one)), emoji: one })),
  },
  ...emojiGroups.map((emoji, at) => ({
    title: laterStrings.emoji.groups[at] ?? '',
    sign: ['😀', '👋', '🐻', '🍎', '🚗', '⚽', '💡', '✅', '🏁'][at] ?? emoji[0]?.emoji ?? '',
    emoji,
  })),
];

/** Emoji, to find and to pick: by category, by name, and in a tone of skin. */
function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }) {
  const [word, setWord] = useState('');
  const [tone, setTone] = useState(chosenTone);
  const [marked, setMarked] = useState<Emoji>();
  const [parts] = useState(partsOf);
  const list = useRef<HTMLDivElement>(null);
  const named = marked ?? parts[0]?.emoji[0];
  const found = word.trim() === '' ? undefined : findEmoji(word.trim()).slice(0, mostFound);
  const grid = { tone, onPick, onMark: setMarked };
  const showPart = (at: number) => list.current?.querySelectorAll('section')[at]?.scrollIntoView({ block: 'start' });
  const onSearchKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const [first] = found ?? [];
    if (event.key === 'Enter' && first) onPick(withTone(first.emoji, tone));
    else if (event.key === 'ArrowDown') list.current?.querySelector('button')?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div class="emoji-head">
        <input
          type="search"
          aria-label={laterStrings.emoji.search}
          placeholder={laterStrings.emoji.search}
          data-first={!isTouched()}
          onInput={({ currentTarget }) => setWord(currentTarget.value)}
          onKeyDown={onSearchKey}
        />
        <Tones
          tone={tone}
          onChoose={(chosen) => {
            chooseTone(chosen);
            setTone(chosen);
          }}
        />
      </div>
      {!found && (
        <div class="emoji-parts" role="toolbar" aria-label={laterStrings.emoji.categories} onKeyDown={moveAlong}>
          {parts.map(({ title, sign }, at) => (
            <button
              key={title}
              type="button"
              tabIndex={at === 0 ? 0 : -1}
              aria-label={title}
              title={title}
              onClick={() => showPart(at)}
            >
              <span aria-hidden="true">{sign}</span>
            </button>
          ))}
        </div>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are of the buttons in it */}
      <div class="emoji-groups" ref={list} onKeyDown={moveInGrid}>
        {found?.length === 0 && <p class="muted center">{laterStrings.emoji.none}</p>}
        {found ? (
          <Grid emoji={found} isFirst {...grid} />
        ) : (
          parts.map(({ title, emoji }, at) => <PartGrid key={title} title={title} emoji={emoji} isFirst={at === 0} grid={grid} />)
        )}
      </div>
      <p class="emoji-marked" aria-hidden="true">
        {named && (
          <>
            <span>{withTone(named.emoji, tone)}</span> {named.name} <small class="muted">:{named.codes[0]}:</small>
          </>
        )}
      </p>
    </>
  );
}

type GridProps = { tone: string; onPick: (emoji: string) => void; onMark: (emoji: Emoji) => void };

/** How many emoji are drawn at a time: of 1,900, most are never looked at. */
const portion = 6 * columns;

/** A group whose portions are drawn when they come near. */
const PartGrid = ({
  title,
  emoji,
  isFirst,
  grid,
}: {
  title: string;
  emoji: readonly Emoji[];
  isFirst: boolean;
  grid: GridProps;
}) => (
  <section>
    <h2>{title}</h2>
    {Array.from({ length: Math.ceil(emoji.length / portion) }, (_, at) => (
      <NearGrid key={`${at}`} emoji={emoji.slice(at * portion, (at + 1) * portion)} isFirst={isFirst && at === 0} grid={grid} />
    ))}
  </section>
);

/** A grid that is empty, with its final height, until it comes near. */
function NearGrid({ emoji, isFirst, grid }: { emoji: readonly Emoji[]; isFirst: boolean; grid: GridProps }) {
  const [isNear, setNear] = useState(isFirst);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isNear || !box.current) return undefined;
    const root = box.current.closest('.emoji-groups');
    const observer = new IntersectionObserver((seen) => seen.at(-1)?.isIntersecting && setNear(true), {
      root,
      rootMargin: '120px',
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isNear]);
  if (isNear) return <Grid emoji={emoji} isFirst={isFirst} {...grid} />;
  return <div class="emoji-rows" ref={box} style={{ '--rows': Math.ceil(emoji.length / columns) }} />;
}

const Grid = ({ emoji, isFirst, tone, onPick, onMark }: GridProps & { emoji: readonly Emoji[]; isFirst: boolean }) => (
  <div class="emoji-grid">
    {emoji.map((one, at) => {
      const shown = withTone(one.emoji, tone);
      return (
        <button
          key={one.emoji}
          type="button"
          tabIndex={isFirst && at === 0 ? 0 : -1}
          aria-label={one.name}
          onClick={() => onPick(shown)}
          onPointerEnter={() => onMark(one)}
          onFocus={() => onMark(one)}
        >
          {shown}
        </button>
      );
    })}
  </div>
);

/** The tone of skin that hands and people have. */
const Tones = ({ tone, onChoose }: { tone: string; onChoose: (tone: string) => void }) => (
  <label class="emoji-tones" title={laterStrings.emoji.tone}>
    <span class="visually-hidden">{laterStrings.emoji.tone}</span>
    <select onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {tones.map((one, at) => (
        <option key={one} value={one} selected={one === tone} aria-label={laterStrings.emoji.tones[at]}>
          {`✋${one}`}
        </option>
      ))}
    </select>
  </label>
);

/** Arrow keys move along the categories. */
function moveAlong(event: KeyboardEvent): void {
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll('button')];
  const step = stepOf(event.key, buttons[0]);
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const at = buttons.indexOf(event.target as HTMLButtonElement);
  buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
}

/** Arrow keys move within all grids, one below the other. */
function moveInGrid(event: KeyboardEvent): void {
  const { key, target, currentTarget: list } = event;
  if (!(target instanceof HTMLButtonElement) || !(list instanceof HTMLElement)) return;
  const buttons = [...list.querySelectorAll('button')];
  const at = buttons.indexOf(target);
  const along = stepOf(key, target);
  const next = along !== undefined ? buttons[at + along] : nextRow(key, target, buttons, at);
  if (along === undefined && key !== 'ArrowDown' && key !== 'ArrowUp') return;
  event.preventDefault();
  event.stopPropagation();
  // Up from the first row returns to the field.
  if (next) next.focus();
  else if (key === 'ArrowUp') list.closest('.popover')?.querySelector('input')?.focus();
}

/** The nearest emoji of the row above or below. */
function nextRow(key: string, target: HTMLElement, buttons: readonly HTMLElement[], at: number): HTMLElement | undefined {
  const { left, top } = target.getBoundingClientRect();
  const candidates =
    key === 'ArrowDown'
      ? buttons.slice(at + 1, at + 1 + 2 * columns)
      : buttons.slice(Math.max(0, at - 2 * columns), at).reverse();
  const isOther = (button: HTMLElement) => Math.abs(button.getBoundingClientRect().top - top) > 4;
  const first = candidates.find(isOther);
  const row = candidates.filter((button) => button.getBoundingClientRect().top === first?.getBoundingClientRect().top);
  return row.sort((one, other) => distance(one, left) - distance(other, left))[0];
}

const distance = (button: HTMLElement, left: number) => Math.abs(button.getBoundingClientRect().left - left);

/** By how many buttons a key moves along the line, which may run from right to left. */
function stepOf(key: string, button: HTMLElement | undefined): number | undefined {
  const isRtl = button !== undefined && getComputedStyle(button).direction === 'rtl';
  return { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[key];
}
