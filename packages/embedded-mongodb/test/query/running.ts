import { deserialize } from 'bson';
import { compilePipeline } from '../../src/aggregate/pipeline.ts';
import type { PipelineContext } from '../../src/aggregate/stages/stage.ts';
import { present } from '../../src/operation.ts';
import { encode } from '../../src/values/bson.ts';
import type { Doc } from '../../src/values/value.ts';
import { all, d } from './notation.ts';

/** The collection `users`, for joins. */
export const someUsers = all(
  { _id: 1, name: 'Ada', rooms: ['a', 'b'] },
  { _id: 2, name: 'Bob', boss: 1 },
  { _id: 3, name: 'Cyd', boss: 2 },
);

/** Runs a pipeline in a driver's form. */
export function run(stages: object[], docs: Doc[], context: Partial<PipelineContext> = {}): Doc[] {
  const collection = (name: string) => (name === 'users' ? someUsers : []);
  return [...present(compilePipeline(stages.map(d), { collection, ...context }).run(docs))];
}

/** Decodes a document as a driver would. */
export function plain(doc: Doc): object {
  return deserialize(encode(doc));
}

/** A title, stages, documents, and the expected result. */
export type Row = readonly [story: string, stages: object[], docs: object[], expected: object[]];
