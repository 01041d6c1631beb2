/* Keys, whatever the keyboard's layout and the input method. */

// The used fields of a `KeyboardEvent`.
type Key = { key: string; code: string };
type ComposedKey = { isComposing: boolean; keyCode: number };

/**
 * Whether an input method takes the key for itself, as it takes the Enter that ends a composition.
 */
export const isComposing = (event: ComposedKey): boolean =>
  // Safari ends the composition before it reports the key. Only this number shows that the key
  // belongs to it.
  event.isComposing || event.keyCode === 229;

/** The signs of a keyboard for English, by the keys that other alphabets put other signs on. */
const signs: Readonly<Record<string, string>> = { Slash: '/', Equal: '+', NumpadAdd: '+', NumpadDivide: '/' };

/**
 * The key for a shortcut: a small letter, a sign, or the name of the key. Where the layout is not
 * Latin, it is the letter that the same key types on a keyboard for English.
 */
export function shortcutKey({ key, code }: Key): string {
  if ([...key].length > 1) return key;
  // Layouts for Cyrillic and Hebrew have the full stop where the shortcut for the list of shortcuts
  // is.
  if (code === 'Slash' && key === '.') return '/';
  if (/^[\p{Script=Latin}\p{ASCII}]$/u.test(key)) return key.normalize('NFKC').toLowerCase();
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? signs[code] ?? key;
}
