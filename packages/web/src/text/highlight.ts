import { foldSpellings } from 'chat-service-rules/words/fold';
import { hitsOf, readQuery, type Term } from 'chat-service-rules/words/query';

/** A part of a text, and whether the search found it. */
type Part = { text: string; isSought: boolean };

/** Divides a text at the words of a search, which it finds by the same rules as the service. */
export function partsOf(text: string, sought: string): Part[] {
  const terms = readQuery(sought).terms.filter(({ isExcluded }) => !isExcluded);
  const places = foldSpellings(text)
    .flatMap((_, spelling) => placesOf(terms, text, spelling))
    .sort(([one], [other]) => one - other);
  const parts: Part[] = [];
  let done = 0;
  for (const [start, end] of places) {
    if (end <= done) continue;
    const begin = Math.max(start, done);
    parts.push({ text: text.slice(done, begin), isSought: false }, { text: text.slice(begin, end), isSought: true });
    done = end;
  }
  return [...parts, { text: text.slice(done), isSought: false }].filter(({ text }) => text !== '');
}

/** The places in a text where one of its folded spellings matches terms. */
function placesOf(terms: Term[], text: string, spelling: number): [start: number, end: number][] {
  // A folded letter may be longer or shorter than the original: `from` and `to` have the original
  // position of each.
  let variants = '';
  const from: number[] = [];
  const to: number[] = [];
  for (const { 0: letter, index } of text.matchAll(/\P{M}[\p{M}\p{Emoji_Modifier}\u1160-\u11ff\uff9e\uff9f]*|\p{M}+/gu)) {
    const spellings = foldSpellings(letter);
    const folded = spellings[spelling] ?? spellings[0];
    variants += folded;
    for (let at = 0; at < folded.length; at++) {
      from.push(index);
      to.push(index + letter.length);
    }
  }
  return terms.flatMap((term) =>
    Array.from(hitsOf(term, variants), ({ at, end }) => [from[at] ?? 0, to[end - 1] ?? 0] as [number, number]),
  );
}
