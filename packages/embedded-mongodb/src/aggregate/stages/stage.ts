import type { Context } from '../../context.ts';
import { DatabaseError } from '../../values/errors.ts';
import { type Doc, isDoc, typeName, type Value } from '../../values/value.ts';

/** A stream of documents. `undefined` marks a point at which other commands may run. */
export type Docs = Iterable<Doc | undefined>;

/** The database that a pipeline reads from. */
export type PipelineContext = Context & {
  /**
   * The documents of a collection of the same database. `filter` lets it use an index: the result
   * has at least all documents that match. A collection that does not exist is empty.
   */
  readonly collection: (name: string, filter?: Doc) => Docs;
  /**
   * True if an index finds the documents of this path. Otherwise `$lookup` builds its own table.
   */
  readonly isIndexed?: (collection: string, path: string) => boolean;
};

/** The context that a stage is compiled in. */
export type StageContext = PipelineContext & {
  /**
   * The limit of the next stage if that is a `$limit`: the stage may stop after that many
   * documents.
   */
  readonly limit: number | undefined;
};

/**
 * A compiled stage. It must not be a generator function itself. V8 keeps a hidden class for each
 * generator closure, with everything that it refers to, for a long time.
 */
export type Stage = (input: Docs) => Docs;

/** Compiles stages of one kind. */
export type StageCompiler = (spec: Value, context: StageContext) => Stage;

/** A stage that turns each document into one document. */
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
