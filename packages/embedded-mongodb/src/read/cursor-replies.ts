import { Long } from 'bson';
import type { Command, Database, Work } from '../protocol/command.ts';
import { maxDocumentBytes } from '../protocol/limits.ts';
import { reply } from '../protocol/replies.ts';
import { sessionKey } from '../protocol/sessions.ts';
import { type Documents, documentsOf } from '../sessions/cursors.ts';
import type { Collection } from '../storage/collection.ts';
import { bsonType, type Doc, OpaqueValue, type Value } from '../values/value.ts';

/** MongoDB's default size of a first batch, in documents. */
const defaultBatch = 101;

/** The documents of a new cursor. */
type CursorStart = {
  readonly namespace: string;
  /** Encoded documents, and `undefined` at points at which other commands may run. */
  readonly documents: Iterator<Uint8Array | undefined>;
  /** The collection that is read. If it is dropped, the cursor ends. */
  readonly collection: Collection | undefined;
  readonly batchSize: number | undefined;
  readonly singleBatch?: boolean;
};

/** Returns the first batch of a query, and opens a cursor if there are more documents. */
export function* firstBatch({ cursors }: Database, command: Pick<Command, 'args' | 'operation'>, start: CursorStart): Work {
  const { args, operation } = command;
  const { namespace, collection, batchSize = defaultBatch, singleBatch = false } = start;
  const source = documentsOf(start.documents);
  let id = 0n;
  try {
    const documents = yield* takeBatch(source, batchSize);
    const ended = singleBatch || (batchSize > 0 && (yield* isOver(source)));
    operation.pause();
    if (!ended) {
      const session = sessionKey(args.get('lsid'));
      id = cursors.open({ namespace, documents: source, collection, session, operation }).id;
    }
    return cursorReply('firstBatch', documents, id, namespace);
  } finally {
    if (id === 0n) source.close();
  }
}

/**
 * The documents of the next batch: at most `batchSize`, and no more than fit into one message, but
 * at least one.
 */
export function* takeBatch(source: Documents, batchSize: number): Generator<undefined, Uint8Array[]> {
  const documents: Uint8Array[] = [];
  let bytes = 0;
  while (documents.length < batchSize) {
    const { done, value: document } = source.peek();
    if (done) break;
    if (document === undefined) {
      yield undefined;
      continue;
    }
    bytes += document.length;
    if (documents.length > 0 && bytes > maxDocumentBytes) break;
    documents.push(document);
    source.take();
  }
  return documents;
}

/** True if all documents were returned. */
export function* isOver(source: Documents): Generator<undefined, boolean> {
  for (;;) {
    const { done, value } = source.peek();
    if (done || value !== undefined) return done === true;
    yield undefined;
  }
}

/** The reply for one batch. Documents are embedded as encoded. */
export function cursorReply(
  field: 'firstBatch' | 'nextBatch',
  documents: readonly Uint8Array[],
  id: bigint,
  namespace: string,
): Doc {
  const cursor = new Map<string, Value>([
    [field, documents.map((document) => new OpaqueValue(bsonType.object, document))],
    ['id', id === 0n ? Long.ZERO : Long.fromBigInt(id)],
    ['ns', namespace],
  ]);
  return reply([['cursor', cursor]]);
}
