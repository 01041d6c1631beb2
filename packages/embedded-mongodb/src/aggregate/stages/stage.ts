import type { Context } from '../../context.ts';
import { DatabaseError } from '../../values/errors.ts';
import { type Doc, isDoc, typeName, type Value } from '../../values/value.ts';

/** Documents as they come, and `undefined` where others may have their turn. */
export type Docs = Iterable<Doc | undefined>;

/** What a pipeline needs around it. */
export type PipelineContext = Context & {
  /**
   * The documents of a collection of the same database, at least all those that match `filter`, which is there for an index to be
   * used; a collection that does not exist is empty.
   */
  readonly collection: (name: string, filter?: Doc) => Docs;
  /** Whether `collection` finds documents by this path without looking at all of them; otherwise a join keeps its own table. */
  readonly isIndexed?: (collection: string, path: string) => boolean;
};

/** What a stage is compiled with. */
export type StageContext = PipelineContext & {
  /** How many of its documents the next stage takes, if that is a `$limit`. */
  readonly limit: number | undefined;
};

/** A stage, compiled. It should not be a generator itself: of each that is made, V8 keeps a hidden class, and all it refers to, for long. */
export type Stage = (input: Docs) => Docs;

/** Compiles a stage of one kind. */
export type StageCompiler = (spec: Value, context: StageContext) => Stage;

/** A stage that makes each document of one document. */
export function mapping(transform: (doc: Doc) => Doc): Stage {
  return (input) => mapped(input, transform);
}

function* mapped(input: Docs, transform: (doc: Doc) => Doc): Generator<Doc | undefined> {
  for (const doc of input) yield doc && transform(doc);
}

/** Checks that a stage's specification is a document. */
export function docOf(spec: Value, name: string, code: number): Doc {
  if (isDoc(spec)) return spec;
  throw new DatabaseError(code, `the ${name} stage specification must be an object, but found ${typeName(spec)}`);
}
