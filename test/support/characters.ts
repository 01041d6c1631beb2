import { type Arbitrary, nat } from 'fast-check';

const count = 0x11_0000;
/** The halves of surrogate pairs, which are not characters. */
const halves = { from: 0xd800, count: 0x800 };

/**
 * Every Unicode character, as a `unit` of fast-check's strings. Its own unit `'binary'` builds a
 * table of all characters for each use, which takes half a second.
 */
export const anyCharacter: Arbitrary<string> = nat(count - halves.count - 1).map(
  (index) => String.fromCodePoint(index < halves.from ? index : index + halves.count),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character || !character.isWellFormed())
      throw new Error(`Expected a character, got ${JSON.stringify(character)}`);
    return code < halves.from ? code : code - halves.count;
  },
);
