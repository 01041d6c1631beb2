import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Int32, ObjectId } from 'bson';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { compileFilter } from '../src/match/filter.ts';
import { fieldsOf } from '../src/plan/find.ts';
import { pushDown } from '../src/plan/pushdown.ts';
import { compileProject, compileProjection, type Transform } from '../src/project/projection.ts';
import { startDatabase } from '../src/server.ts';
import { decode, decodeFields, encode } from '../src/values/bson.ts';
import type { Fields } from '../src/values/bson-reader.ts';
import type { DatabaseError } from '../src/values/errors.ts';
import type { Doc, Value } from '../src/values/value.ts';
import { doc } from './query/arbitraries.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'partial-'));
const database = await startDatabase({ dataDir });
const client = await MongoClient.connect(database.uri);
const things = client.db('test').collection<{ _id: number } & Record<string, unknown>>('things');
await things.insertOne({ _id: 1, a: 1, b: [{ c: 2, d: 3 }, 4], e: 'text', f: null, g: { h: [5] } });
await things.createIndex({ e: 'text' }, { default_language: 'none' });
await things.createIndex({ a: 1 });

afterAll(async () => {
  await client.close();
  await database.close();
  await rm(dataDir, { recursive: true });
});

describe('a find that decodes only the needed fields of a document', () => {
  it.each<[object, object, object | undefined, object]>([
    [{}, { a: 1 }, undefined, { _id: 1, a: 1 }],
    [{ g: { h: [5] } }, { a: 1, _id: 0 }, undefined, { a: 1 }],
    [{ 'b.c': 2, f: null, nowhere: null }, { 'b.d': true }, { e: 1 }, { _id: 1, b: [{ d: 3 }] }],
    [{ 'b.c': 2 }, { b: { $elemMatch: { d: 3 } } }, undefined, { _id: 1, b: [{ c: 2, d: 3 }] }],
    [{ $or: [{ e: 'text' }] }, { g: 1 }, undefined, { _id: 1, g: { h: [5] } }],
    [{ $expr: { $eq: ['$e', 'text'] } }, { a: 1 }, undefined, { _id: 1, a: 1 }],
    [{ $text: { $search: 'text' } }, { a: 1 }, undefined, { _id: 1, a: 1 }],
    [{}, { a: 1, size: { $size: '$b' } }, undefined, { _id: 1, a: 1, size: 2 }],
    [{ e: 'text' }, { b: 0, e: 0, f: 0, g: 0 }, undefined, { _id: 1, a: 1 }],
    [{ a: 1 }, { g: 1, h: '$a' }, undefined, { _id: 1, g: { h: [5] }, h: 1 }],
    [{ a: 1 }, { g: 1, h: ['$a'] }, { a: 1 }, { _id: 1, g: { h: [5] }, h: [1] }],
    [{ a: 1 }, { g: 1, _id: { $add: ['$a', 1] } }, undefined, { _id: 2, g: { h: [5] } }],
    [{ e: 'text' }, { _id: 1 }, { a: -1 }, { _id: 1 }],
  ])('a find decodes only what it needs: filter %j, projection %j', async (filter, projection, sort, expected) => {
    const found = await things.find(filter, { projection, ...(sort && { sort: sort as { a: 1 } }) }).toArray();
    expect(found).toEqual([expected]);
  });
});

describe('a query for an id in an array of documents', () => {
  const ids = ['65a000000000000000000001', '65a000000000000000000002'].map((hex) => new ObjectId(hex));
  const id = fc.constantFrom<Value>(...ids);
  const number = fc.constantFrom<Value>(new Int32(1), new Int32(2));
  const inside = fc.oneof(id, number, fc.array(fc.oneof(id, number), { maxLength: 2 }), fc.constant(null));
  const record = fc
    .tuple(fc.option(inside, { nil: undefined }), fc.oneof(id, number))
    .map(([b, c]): Value => doc(...(b === undefined ? [] : [['b', b] as [string, Value]]), ['c', c]));
  const array = fc.array(fc.oneof({ weight: 5, arbitrary: record }, id, number, fc.array(record, { maxLength: 2 })), {
    maxLength: 5,
  });
  const documents = fc
    .tuple(fc.oneof({ weight: 5, arbitrary: array }, record, id), fc.oneof(id, number))
    .map(([a, e]) => doc(['a', a as Value], ['e', e]));

  const in_ = fc.array(fc.oneof({ weight: 5, arbitrary: id }, number), { maxLength: 2 }).map((some) => doc(['$in', some]));
  const match = fc.oneof(
    fc.oneof(id, in_).map((asked) => doc(['b', asked])),
    fc.tuple(id, number).map(([id, c]) => doc(['c', c], ['b', id])),
    id.map((id) => doc(['b', doc(['$ne', id])])),
  );
  const simple = fc.oneof(
    fc.tuple(fc.constantFrom('a.b', 'a.c'), fc.oneof(id, in_)).map(([path, asked]) => doc([path, asked])),
    fc.tuple(id, number).map(([id, c]) => doc(['a.b', id], ['a.c', c])),
    match.map((match) => doc(['a', doc(['$elemMatch', match])])),
    id.map((id) => doc(['a.0', id])),
    number.map((size) => doc(['a', doc(['$size', size])])),
    number.map((size) => doc(['a.b', doc(['$size', size])])),
    fc.tuple(id, number).map(([id, size]) => doc(['$nor', [doc(['a', doc(['$size', size])])]], ['a.b', id])),
    id.map((id) => doc(['a', id])),
    number.map((e) => doc(['e', e])),
  );
  const filters = fc.oneof(
    simple,
    fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(simple, { minLength: 1, maxLength: 3 }))
      .map(([name, parts]) => doc([name, parts])),
  );

  it('a query for an id in an array of documents answers as if it had decoded the whole array', () => {
    fc.assert(
      fc.property(documents, filters, fc.option(match, { nil: undefined }), (whole, filter, shown) => {
        const bytes = encode(whole);
        const projection = shown && doc(['e', true], ['a', doc(['$elemMatch', shown])]);
        const part = decodeFields(bytes, fieldsOf(filter, undefined, projection) as Fields);
        const { matches } = compileFilter(filter);
        expect(matches(part)).toBe(matches(whole));
        if (projection) expect(compileProjection(projection)(part)).toEqual(compileProjection(projection)(decode(bytes)));
      }),
      { numRuns: 5000 },
    );
  });

  it('a query for an id in an array of documents decodes only the elements with that id', () => {
    const [mine, other] = ids as [ObjectId, ObjectId];
    const members = [doc(['user', other]), doc(['user', mine], ['role', 'owner']), doc(['role', 'member'])];
    const found = (filter: Doc) => decodeFields(encode(doc(['members', members])), fieldsOf(filter) as Fields).get('members');
    expect(found(doc(['members.user', mine]))).toEqual([members[1]]);
    expect(found(doc(['members', doc(['$elemMatch', doc(['user', mine])])]))).toEqual([members[1]]);
    expect(found(doc(['members.user', doc(['$in', [mine]])]))).toEqual([members[1]]);
    const isAlone = doc(['members', doc(['$size', new Int32(1)])]);
    expect(found(isAlone)).toEqual([]);
    expect(found(doc(['members.user', mine], ['$nor', [isAlone]]))).toEqual([members[1]]);
    expect(found(doc(['members.user', mine], ['members.role', 'owner']))).toEqual(members);
    expect(found(doc(['members.user', mine], ['members.role', mine]))).toEqual(members);
    expect(found(doc(['members.user', mine], ['members', doc(['$elemMatch', doc(['user', other])])]))).toEqual(
      members.slice(0, 2),
    );
  });

  const filtered = fc
    .tuple(
      fc.constantFrom('$a', '$a', '$a', '$$ROOT.a', '$d.e'),
      fc.constantFrom('$$one.b', '$$one.c', '$$one', '$a', '$e', '$$one.b.c'),
      fc.array(fc.oneof({ weight: 5, arbitrary: id }, number, fc.constant('$e')), { maxLength: 2 }),
    )
    .map(([input, item, ids]) => doc(['$filter', doc(['input', input], ['as', 'one'], ['cond', doc(['$in', [item, ids]])])]));
  const path = fc.constantFrom<Value>('$e', '$a', '$a.b', '$$ROOT', '$$ROOT.e', '$$CURRENT.a');
  const expression = fc.oneof(
    { weight: 2, arbitrary: filtered },
    path,
    path.map((value) => [value, 'text']),
    path.map((value) => doc(['$ifNull', [value, '$a']])),
  );
  const inclusion = { a: expression, 'd.e': expression, e: fc.oneof(fc.constant(true), expression), f: expression };
  const exclusion = { a: fc.constant(false), 'd.e': fc.constant(false) };
  const projections = fc
    .oneof(fc.record(inclusion, { requiredKeys: [] }), fc.record(exclusion, { requiredKeys: [] }))
    .filter((fields) => Object.keys(fields).length > 0)
    .chain((fields) => fc.boolean().map((hasId) => doc(...Object.entries<Value>({ ...fields, _id: hasId }))));
  const inD = fc.constantFrom<Value>(doc(['e', new Int32(1)], ['f', new Int32(2)]), [doc(['e', [doc()]]), new Int32(3)], true);

  it('a pipeline that begins with a projection answers as if it had decoded the whole array', () => {
    fc.assert(
      fc.property(documents, inD, projections, (whole, d, spec) => {
        const { shown } = pushDown([doc(['$project', spec])]).query;
        const fields = shown && fieldsOf(new Map(), undefined, shown);
        fc.pre(fields !== undefined);
        const bytes = encode(whole.set('d', d));
        const project = outcomeOf(compileProject(spec));
        expect(project(decodeFields(bytes, fields as Fields))).toEqual(project(decode(bytes)));
      }),
      { numRuns: 5000 },
    );
  });

  it('a pipeline that begins with a projection decodes only the elements that the projection needs', () => {
    const [mine, other] = ids as [ObjectId, ObjectId];
    const members = [doc(['user', other]), doc(['user', mine])];
    const bytes = encode(doc(['notes', 'many'], ['members', members], ['name', 'a room']));
    const shown = (spec: Doc) =>
      decodeFields(bytes, fieldsOf(new Map(), undefined, pushDown([doc(['$project', spec])]).query.shown) as Fields);
    const cond = doc(['$in', ['$$one.user', [mine]]]);
    const own: [string, Value] = ['own', doc(['$filter', doc(['input', '$members'], ['as', 'one'], ['cond', cond])])];
    expect(shown(doc(own, ['name', '$name']))).toEqual(doc(['members', [members[1] as Doc]], ['name', 'a room']));
    expect(shown(doc(own, ['count', doc(['$size', '$members'])]))).toEqual(doc(['members', members]));
  });
});

/** The result of a projection, or its error code. */
const outcomeOf = (project: Transform) => (doc: Doc) => {
  try {
    return project(doc);
  } catch (error) {
    return (error as DatabaseError).code;
  }
};
