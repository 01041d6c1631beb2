import { describe, expect, it } from 'vitest';
import { freshCollection } from './support/database.ts';

describe('$text', () => {
  it.each<[string, string, number[]]>([
    ['any of the words', 'tea milk', [1, 3, 4]],
    ['a word in any case and without accents', 'CAFE', [2]],
    ['a word only as a whole', 'coff', []],
    ['no document with a negated word', 'coffee -milk', [5]],
    ['a minus inside a word as a space', 'take-away', [5]],
    ['only documents with the phrase', '"black coffee"', [5]],
    ['only documents with the phrase, whatever other words there are', '"with milk" tea', [3, 4]],
    ['no document with a negated phrase', 'milk -"coffee with"', [4]],
    ['nothing where all is negated', '-tea', []],
    ['the words of arrays', 'sugar', [1]],
  ])('finds %s: %s', async (_, $search, found) => {
    const drinks = await withDrinks();
    expect(await ids(drinks.find({ $text: { $search } }))).toEqual(found);
  });

  it('gives the scores to a pipeline too', async () => {
    const drinks = await withDrinks();
    const score = { $meta: 'textScore' };
    const pipeline = [{ $match: { $text: { $search: 'tea' } } }, { $sort: { _id: 1 } }, { $project: { score } }];
    expect(await drinks.aggregate(pipeline).toArray()).toEqual([
      { _id: 1, score: 1.1 },
      { _id: 4, score: 0.625 },
    ]);
  });

  it('narrows by the fields before the words, which must be given', async () => {
    const messages = await freshCollection();
    await messages.createIndex({ room: 1, text: 'text' }, { default_language: 'none' });
    await messages.insertMany([1, 2].map((room) => ({ room, text: 'hello there' })));
    const asked = messages.find({ room: 2, $text: { $search: 'hello' } });
    expect((await asked.toArray()).map(({ room }) => room)).toEqual([2]);
    expect(
      (await messages.find({ room: 2, $text: { $search: 'hello' } }).explain('executionStats')).executionStats,
    ).toMatchObject({
      totalDocsExamined: 1,
    });
    await expect(messages.find({ $text: { $search: 'hello' } }).toArray()).rejects.toMatchObject({ code: 291 });
  });

  it('follows changes of the text', async () => {
    const drinks = await withDrinks();
    await drinks.updateOne({ _id: 1 }, { $set: { text: 'Water' } });
    await drinks.deleteOne({ _id: 4 });
    expect(await ids(drinks.find({ $text: { $search: 'tea water' } }))).toEqual([1]);
  });

  it('passes over the stop words of English, which is the default', async () => {
    const notes = await freshCollection();
    await notes.createIndex({ text: 'text' });
    await notes.insertMany([{ text: 'the cat' }, { text: 'the dog' }]);
    expect((await notes.find({ $text: { $search: 'the cat' } }).toArray()).map(({ text }) => text)).toEqual(['the cat']);
  });

  it('shows its index as MongoDB does', async () => {
    const notes = await freshCollection();
    await notes.createIndex({ text: 'text', title: 'text' }, { weights: { title: 5 }, default_language: 'none' });
    expect((await notes.indexes())[1]).toEqual({
      v: 2,
      key: { _fts: 'text', _ftsx: 1 },
      name: 'text_text_title_text',
      weights: { text: 1, title: 5 },
      default_language: 'none',
      language_override: 'language',
      textIndexVersion: 3,
    });
  });

  it('is refused on a collection without a text index', async () => {
    const things = await freshCollection();
    await things.insertOne({ text: 'a' });
    await expect(things.findOne({ $text: { $search: 'a' } })).rejects.toMatchObject({ code: 27 });
  });
});

async function withDrinks() {
  const drinks = await freshCollection<{ _id: number; text: string; tags?: string[] }>();
  await drinks.createIndex({ text: 'text', tags: 'text' }, { default_language: 'none' });
  await drinks.insertMany([
    { _id: 1, text: 'Tea', tags: ['sugar'] },
    { _id: 2, text: 'In a café' },
    { _id: 3, text: 'Coffee with milk' },
    { _id: 4, text: 'Black tea with milk' },
    { _id: 5, text: 'Black coffee, to take away' },
  ]);
  return drinks;
}

async function ids(found: { toArray(): Promise<{ _id: number }[]> }): Promise<number[]> {
  return (await found.toArray()).map(({ _id }) => _id).sort();
}
