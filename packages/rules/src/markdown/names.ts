import { characterAt, characterBefore, joinsWord } from './characters.ts';

/**
 * The end of the mention that begins at an `@`; undefined if none does. A name in a word or an
 * address is not a mention, such as `ann@example.org`, `@ann@example.org`, `@ann/cli` and
 * `example.org/@ann`.
 */
export function mentionEnd(text: string, at: number, isAfterMention: boolean): number | undefined {
  const before = characterBefore(text, at);
  if (joinsWord(before) && !(before === '_' && isFreeUnderscore(text, at))) return undefined;
  if (isSign(before) || (before === '/' && !isAfterMention)) return undefined;
  if (/[.-]/.test(before) && joinsWord(characterBefore(text, at - 1))) return undefined;
  sticky.lastIndex = at;
  let name = sticky.exec(text)?.[1];
  if (name === undefined) return undefined;
  // The underscore before it opens emphasis, and the one after it closes it.
  if (before === '_') name = name.replace(/_+$/, '');
  const end = at + 1 + name.length;
  foreign.lastIndex = end;
  const isPart = joinsWord(characterAt(text, end)) && text[end] !== '_';
  return isPart || foreign.test(text) ? undefined : end;
}

const isSign = (character: string): boolean => /[@＠﹫]/.test(character);

// Names are ASCII. Keyboards for Chinese and Japanese also type them in full width.
const letter = 'A-Za-z0-9Ａ-Ｚａ-ｚ０-９';
const sticky = new RegExp(`[@＠﹫]([${letter}][${letter}._．＿－-]{0,63})`, 'y');

/** A suffix that marks a name of another service, or a path. */
const foreign = /[@＠﹫][\w-]|\/\w|:[A-Za-z0-9-]+\.[A-Za-z0-9]/y;

const isFreeUnderscore = (text: string, at: number) => {
  const start = /_{1,3}$/.exec(text.slice(Math.max(0, at - 3), at))?.[0].length ?? 0;
  return !joinsWord(characterBefore(text, at - start));
};

/**
 * The names that a mention may mean, the longest first. At the end of a sentence, `@ada.` means
 * `ada`, unless the user `ada.` exists.
 */
export function namesOf(mention: string): string[] {
  const names = [mention.slice(1).normalize('NFKC').toLowerCase()];
  for (let name = names[0] as string; /[._-]$/.test(name); names.push(name)) name = name.slice(0, -1);
  return names;
}
