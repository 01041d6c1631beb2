import { Long } from 'bson';
import type { Command, Database, Work } from '../protocol/command.ts';
import { maxDocumentBytes } from '../protocol/limits.ts';
import { reply } from '../protocol/replies.ts';
import { sessionKey } from '../protocol/sessions.ts';
import { type Documents, documentsOf } from '../sessions/cursors.ts';
import type { Collection } from '../storage/collection.ts';
import { bsonType, type Doc, OpaqueValue, type Value } from '../values/value.ts';

/** MongoDB's number of documents in a first batch when the client does not say. */
const defaultBatch = 101;

/** How a cursor begins. */
type CursorStart = {
  readonly namespace: string;
  /** Encoded, and `undefined` where others may have their turn. */
  readonly documents: Iterator<Uint8Array | undefined>;
  /** The collection that the documents come from: if it is dropped, the cursor ends. */
  readonly collection: Collection | undefined;
  readonly batchSize: number | undefined;
  readonly singleBatch?: boolean;
};

/** The first batch of a query, and a cursor if there is more. */
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

/** The documents of the next batch: as many as asked for and as fit into one message, but at least one. */
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

/** Whether all documents were returned. */
export function* isOver(source: Documents): Generator<undefined, boolean> {
  for (;;) {
    const { done, value } = source.peek();
    if (done || value !== undefined) return done === true;
    yield undefined;
  }
}

/** What a cursor gives back for one batch: around documents as they are stored. */
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
