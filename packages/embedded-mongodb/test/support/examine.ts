import { type Document, Long } from 'bson';
import { compareWithWriters, type Findings } from './findings.ts';
import { connectWire, type WireClient } from './wire-client.ts';
import { sharedCollection, type Writer } from './writer.ts';

export const testDatabase = 'crash';

/** Creates the collection that the writers share, with its indexes. */
export async function prepare(uri: string): Promise<void> {
  const client = await connectWire(uri);
  const indexes = [
    { name: 'key', key: { key: 1 }, unique: true },
    { name: 'writer', key: { writer: 1 } },
    { name: 'n', key: { n: -1, writer: 1 } },
  ];
  const { ok } = await client.command(testDatabase, { createIndexes: sharedCollection, indexes });
  if (ok !== 1) throw new Error('the indexes could not be made');
  client.close();
}

/** Reads all documents and compares them with the writers' models. */
export async function examine(writers: readonly Writer[], uri: string, documents: Document[] = []): Promise<Findings> {
  try {
    const client = await connectWire(uri);
    documents.push(...(await readAll(client)));
    const findings = compareWithWriters(writers, documents);
    findings.lost.push(...(await faultsOfIndexes(client, documents.length)));
    client.close();
    return findings;
  } catch (error) {
    return { lost: [`everything: ${(error as Error).message}`], doubled: [], halfWritten: [] };
  }
}

async function readAll(client: WireClient): Promise<Document[]> {
  const documents: Document[] = [];
  let reply = await client.command(testDatabase, { find: sharedCollection, batchSize: 10_000 });
  for (;;) {
    if (reply.ok !== 1) throw new Error(reply.errmsg);
    documents.push(...(reply.cursor.firstBatch ?? reply.cursor.nextBatch));
    if (reply.cursor.id === 0) return documents;
    const getMore = Long.fromValue(reply.cursor.id);
    reply = await client.command(testDatabase, { getMore, collection: sharedCollection, batchSize: 10_000 });
  }
}

async function faultsOfIndexes(client: WireClient, documents: number): Promise<string[]> {
  const faults: string[] = [];
  for (const [field, least] of [
    ['_id', ''],
    ['key', ''],
    ['writer', 0],
  ] as const) {
    const pipeline = [{ $match: { [field]: { $gte: least } } }, { $group: { _id: 1, n: { $sum: 1 } } }];
    const { cursor, errmsg } = await client.command(testDatabase, { aggregate: sharedCollection, pipeline, cursor: {} });
    const n = cursor?.firstBatch[0]?.n ?? 0;
    if (n !== documents) faults.push(`the index on ${field} has ${errmsg ?? n} of ${documents} documents`);
  }
  return faults;
}
