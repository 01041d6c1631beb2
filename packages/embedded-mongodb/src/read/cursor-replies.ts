import type { Command, Database } from '../protocol/command.ts';
import { maxDocumentBytes } from '../protocol/limits.ts';
import { cursorReply } from '../protocol/reply.ts';
import { sessionKey } from '../protocol/sessions.ts';
import { type Documents, documentsOf } from '../sessions/cursors.ts';
import type { Collection } from '../storage/collection.ts';
import type { Doc } from '../values/value.ts';

/** MongoDB's number of documents in a first batch when the client does not say. */
const defaultBatch = 101;

/** How a cursor begins. */
export type CursorStart = {
  readonly namespace: string;
  readonly documents: Iterator<Uint8Array>;
  /** The collection that the documents come from: if it is dropped, the cursor ends. */
  readonly collection: Collection | undefined;
  readonly batchSize: number | undefined;
  readonly singleBatch?: boolean;
  /** Further fields of the answer. */
  readonly beside?: Doc;
};

/** The first batch of a query, and a cursor if there is more. */
export function firstBatch(
  { cursors }: Database,
  { args, timeLimit }: Pick<Command, 'args' | 'timeLimit'>,
  start: CursorStart,
): Buffer[] {
  const { namespace, collection, batchSize = defaultBatch, singleBatch = false, beside } = start;
  const source = documentsOf(start.documents);
  const documents = takeBatch(source, batchSize);
  timeLimit?.pause();
  const ended = singleBatch || (batchSize > 0 && source.peek() === undefined);
  if (ended) source.close();
  const id = ended
    ? 0n
    : cursors.open({ namespace, documents: source, collection, session: sessionKey(args.get('lsid')), timeLimit }).id;
  return cursorReply({ id, namespace, field: 'firstBatch', documents, beside });
}

/** The documents of the next batch: as many as asked for and as fit into one message, but at least one. */
export function takeBatch(source: Documents, batchSize: number): Uint8Array[] {
  const documents: Uint8Array[] = [];
  let bytes = 0;
  while (documents.length < batchSize) {
    const document = source.peek();
    if (document === undefined || (documents.length > 0 && bytes + document.length > maxDocumentBytes)) break;
    documents.push(document);
    bytes += document.length;
    source.next();
  }
  return documents;
}
