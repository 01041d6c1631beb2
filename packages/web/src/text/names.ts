/** A name whose characters cannot change the direction of the surrounding text. */
export const safeName = (name: string): string => name.replaceAll(/\p{Bidi_Control}/gu, '\ufffd');

/** Between letters that would join to a word, as Arabic ones do. */
const zeroWidthNonJoiner = '\u200c';

/** The first letters or digits of the first words of a name, at most `count`. */
export const initialsOf = (name: string, count: number): string =>
  name
    .split(/[\s._-]+/)
    .map((word) => /[\p{L}\p{N}]/u.exec(word)?.[0]?.toUpperCase() ?? '')
    .filter(Boolean)
    .slice(0, count)
    .join(/\p{Script=Arabic}/u.test(name) ? zeroWidthNonJoiner : '');

/** The names that address everyone in a room: all members, or the connected ones. */
export const forEveryone = ['room', 'here'] as const;
