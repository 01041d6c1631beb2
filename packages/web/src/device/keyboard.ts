/* Keys, independent of the keyboard's layout and the input method. */

// The used fields of a `KeyboardEvent`.
type Key = { key: string; code: string };
type ComposedKey = { isComposing: boolean; keyCode: number };

/** True if an input method handles the key itself, such as the Enter that ends a composition. */
export const isComposing = (event: ComposedKey): boolean =>
  // Safari ends the composition before it reports the key. Only this number shows that the key
  // belongs to it.
  event.isComposing || event.keyCode === 229;

/** The signs of a keyboard for English, by the keys that other alphabets put other signs on. */
const signs: Readonly<Record<string, string>> = { Slash: '/', Equal: '+', NumpadAdd: '+', NumpadDivide: '/' };

/**
 * The key for a shortcut: a lower-case letter, a sign, or the name of the key. For a layout that is
 * not Latin, it is the letter on an English keyboard.
 */
export function shortcutKey({ key, code }: Key): string {
  if ([...key].length > 1) return key;
  // Cyrillic and Hebrew layouts have the full stop at the key of this shortcut.
  if (code === 'Slash' && key === '.') return '/';
  if (/^[\p{Script=Latin}\p{ASCII}]$/u.test(key)) return key.normalize('NFKC').toLowerCase();
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? signs[code] ?? key;
}
