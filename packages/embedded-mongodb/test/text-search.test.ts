import type { CreateIndexesOptions, Filter, IndexSpecification } from 'mongodb';
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
  ])('$text finds %s: %s', async (_, $search, found) => {
    const drinks = await withDrinks();
    expect(await ids(drinks.find({ $text: { $search } }))).toEqual(found);
  });

  it('$text gives the scores to a pipeline too', async () => {
    const drinks = await withDrinks();
    const score = { $meta: 'textScore' };
    const pipeline = [{ $match: { $text: { $search: 'tea' } } }, { $sort: { _id: 1 } }, { $project: { score } }];
    expect(await drinks.aggregate(pipeline).toArray()).toEqual([
      { _id: 1, score: 1.1 },
      { _id: 4, score: 0.625 },
    ]);
  });

  it('$text narrows by the fields before the words, and requires them', async () => {
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

  it('$text follows changes of the text', async () => {
    const drinks = await withDrinks();
    await drinks.updateOne({ _id: 1 }, { $set: { text: 'Water' } });
    await drinks.deleteOne({ _id: 4 });
    expect(await ids(drinks.find({ $text: { $search: 'tea water' } }))).toEqual([1]);
  });

  it.each<[string, IndexSpecification, CreateIndexesOptions]>([
    ['for a language', { text: 'text' }, {}],
    ['with weights', { text: 'text' }, { default_language: 'none', weights: { text: 2 } }],
    ['on every field', { '$**': 'text' }, { default_language: 'none' }],
    ['with fields after the text', { text: 'text', room: 1 }, { default_language: 'none' }],
    ['on some documents', { text: 'text' }, { default_language: 'none', partialFilterExpression: { a: 1 } }],
  ])('a text index is refused %s', async (_, pattern, options) => {
    const notes = await freshCollection();
    await expect(notes.createIndex(pattern, options)).rejects.toMatchObject({ code: 67 });
  });

  it('$text refuses a document that names its language', async () => {
    const drinks = await withDrinks();
    await drinks.insertOne({ _id: 8, text: 'x', language: 'none' });
    await expect(drinks.insertOne({ _id: 9, text: 'x', language: 'fr' })).rejects.toMatchObject({ code: 17262 });
  });

  it('$text shows its index as MongoDB does', async () => {
    const notes = await freshCollection();
    await notes.createIndex({ text: 'text', title: 'text' }, { default_language: 'none' });
    expect((await notes.indexes())[1]).toEqual({
      v: 2,
      key: { _fts: 'text', _ftsx: 1 },
      name: 'text_text_title_text',
      weights: { text: 1, title: 1 },
      default_language: 'none',
      language_override: 'language',
      textIndexVersion: 3,
    });
  });

  it('$text examines only the documents of a page, even if many have the word', async () => {
    const notes = await freshCollection<{ _id: number; text: string }>();
    await notes.createIndex({ text: 'text' }, { default_language: 'none' });
    await notes.insertMany(Array.from({ length: 3000 }, (_, _id) => ({ _id, text: _id % 4 ? 'tea' : 'tea milk' })));
    const page = ($search: string) => notes.find({ $text: { $search } }).sort({ _id: -1 }).limit(10);
    expect(await ids(page('tea'))).toEqual(Array.from({ length: 10 }, (_, i) => 2990 + i));
    const { executionStats } = await page('tea').explain('executionStats');
    expect(executionStats.totalDocsExamined).toBe(10);
    const fewer = await page('milk').explain('executionStats');
    expect(fewer.executionStats.totalDocsExamined).toBeLessThan(64);
    const { queryPlanner } = await notes.find({ $text: { $search: 'milk' } }).explain('queryPlanner');
    expect(queryPlanner.winningPlan).toMatchObject({
      stage: 'FETCH',
      inputStage: { stage: 'TEXT_MATCH', parsedTextQuery: { terms: ['milk'] }, inputStage: { indexName: 'text_text' } },
    });
  });

  it('$text finds a document by its first 12 000 different words', async () => {
    const notes = await freshCollection<{ _id: number; text: string }>();
    await notes.createIndex({ text: 'text' }, { default_language: 'none' });
    const words = Array.from({ length: 12_100 }, (_, i) => `word${i}`);
    await notes.insertOne({ _id: 1, text: [...words, ...words].join(' ') });
    const found = async ($search: string) => (await ids(notes.find({ $text: { $search } }))).length;
    expect(
      await Promise.all(
        ['word11999', 'word12000', 'word1 "word11998 word11999"', 'word1 "word12000"', 'word1 -word12000'].map(found),
      ),
    ).toEqual([1, 0, 1, 0, 1]);
  });

  it.each<[string, Filter<{ _id: number }>, number]>([
    ['two searches in one filter', { $and: [{ $text: { $search: 'a' } }, { $text: { $search: 'b' } }] }, 2],
    ['more than a thousand words', { $text: { $search: Array.from({ length: 1001 }, (_, i) => i).join(' ') } }, 115],
    ['a search without words to search for', { $text: {} as never }, 9],
    ['another language', { $text: { $search: 'tea', $language: 'en' } }, 2],
    ['case', { $text: { $search: 'tea', $caseSensitive: true } }, 115],
    ['an unknown option', { $text: { $search: 'tea', fuzzy: true } as never }, 9],
  ])('$text refuses %s', async (_, filter, code) => {
    const drinks = await withDrinks();
    await expect(drinks.findOne(filter)).rejects.toMatchObject({ code });
  });

  it('$text is refused on a collection without a text index', async () => {
    const things = await freshCollection();
    await things.insertOne({ text: 'a' });
    await expect(things.findOne({ $text: { $search: 'a' } })).rejects.toMatchObject({ code: 27 });
  });
});

async function withDrinks() {
  const drinks = await freshCollection<{ _id: number; text: string; tags?: string[]; language?: string }>();
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
