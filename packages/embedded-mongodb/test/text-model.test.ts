import type { Collection, Filter } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { freshCollection } from './support/database.ts';
import { createRandom, type Random, testSeed } from './support/random.ts';

type Note = { _id: number; room: number; seq: number; text: string; hidden?: true };

const { SEARCH_CASES = '60' } = process.env;

/*
 * Evaluates `$text` on each document. Unlike with an index, this cannot miss a document or stop too
 * early.
 */
describe(`$text (seed ${testSeed})`, () => {
  it('$text finds the same as a check of each document, in the same order, for any words, order and limit', async () => {
    const random = createRandom(testSeed);
    const notes = await freshCollection<Note>();
    await notes.createIndex({ room: 1, seq: 1 });
    await notes.createIndex({ room: 1, text: 'text' }, { default_language: 'none' });
    const stored = await filled(notes, random);
    for (let i = 0; i < Number(SEARCH_CASES); i++) {
      if (i % 10 === 9) await changeSome(notes, stored, random);
      const room = random.below(3);
      const $search = search(random);
      const range = random.below(3) === 0 ? { seq: { $gt: random.below(1500) } } : {};
      const filter = { room, ...(random.below(2) === 0 && { hidden: { $ne: true } }), ...range } as Filter<Note>;
      const direction = random.below(2) === 0 ? 1 : -1;
      const limit = [1, 5, 51, 10_000][random.below(4)] as number;
      const expected = [...stored.values()]
        .filter((note) => note.room === room && !('hidden' in filter && note.hidden) && note.seq > (range.seq?.$gt ?? -1))
        .filter(({ text }) => says(text, $search))
        .sort((a, b) => direction * (a.seq - b.seq))
        .slice(0, limit)
        .map(({ _id }) => _id);
      const asked = { ...filter, $text: { $search } };
      const sorted = await notes.find(asked).sort({ seq: direction }).limit(limit).toArray();
      expect({ $search, found: sorted.map(({ _id }) => _id) }).toEqual({ $search, found: expected });
      const unsorted = (await notes.find(asked).toArray()).map(({ _id }) => _id);
      expect({ $search, count: unsorted.length }).toEqual({ $search, count: await notes.countDocuments(asked) });
      if (limit === 10_000) expect(new Set(unsorted)).toEqual(new Set(expected));
    }
  });
});

/**
 * One word is in every text, some are in many, most in few. One is a prefix of another, and one has
 * an accent.
 */
const words = ['tea', 'teapot', 'milk', 'café', 'sugar', ...Array.from({ length: 40 }, (_, i) => `word${i}`)];

function text(random: Random): string {
  const some = Array.from(
    { length: random.below(8) },
    () => words[Math.min(random.below(45), random.below(45), random.below(45))],
  );
  return ['common', ...some].join(random.below(4) === 0 ? ', ' : ' ');
}

async function filled(notes: Collection<Note>, random: Random): Promise<Map<number, Note>> {
  const all = Array.from({ length: 4000 }, (_, _id): Note => {
    const note = { _id, room: random.below(10) === 0 ? 1 : 0, seq: _id, text: text(random) };
    return random.below(5) === 0 ? { ...note, hidden: true } : note;
  });
  // Half of them are stored in a different order than their numbers.
  const scattered = all.slice(2000).sort(() => random.below(3) - 1);
  await notes.insertMany([...all.slice(0, 2000), ...scattered]);
  return new Map(all.map((note) => [note._id, note]));
}

async function changeSome(notes: Collection<Note>, stored: Map<number, Note>, random: Random): Promise<void> {
  for (let i = 0; i < 20; i++) {
    const _id = random.below(4500);
    const before = stored.get(_id);
    if (before !== undefined && random.below(3) === 0) {
      await notes.deleteOne({ _id });
      stored.delete(_id);
    } else {
      const after = { room: random.below(3), seq: _id, ...before, _id, text: text(random) };
      await notes.replaceOne({ _id }, after, { upsert: true });
      stored.set(_id, after);
    }
  }
}

function search(random: Random): string {
  const word = () => words[random.below(words.length)] as string;
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    const kind = random.below(8);
    if (kind === 0) return `"${word()} ${word()}"`;
    if (kind === 1) return `"${word().slice(1, 4)}"`;
    if (kind === 2) return `-${word()}`;
    if (kind === 3) return `-"${word()} ${word()}"`;
    return kind < 6 ? word().toUpperCase() : 'common';
  });
  return parts.join(' ');
}

function says(text: string, $search: string): boolean {
  const fold = (some: string) => some.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const folded = fold($search);
  const phrases = [...folded.matchAll(/(-?)"([^"]*)"/g)];
  const bare = folded
    .replace(/-"[^"]*"/g, ' ')
    .replaceAll('"', ' ')
    .split(' ');
  const own = fold(text);
  const ownWords = new Set(own.split(/[ ,]+/));
  const wanted = bare.filter((word) => word !== '' && !word.startsWith('-'));
  const unwanted = bare.filter((word) => word.startsWith('-')).map((word) => word.slice(1));
  return (
    wanted.some((word) => ownWords.has(word)) &&
    !unwanted.some((word) => ownWords.has(word)) &&
    phrases.every(([, minus, phrase = '']) => own.includes(phrase) === (minus === ''))
  );
}
