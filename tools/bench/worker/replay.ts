import { type Collection, type Db, type Document, ObjectId } from 'mongodb';
import type { Plan } from './record.ts';

/** Makes a request's round trips with the bare driver: the same commands, concurrently where the request did so. */
export async function replay(db: Db, plan: Plan): Promise<void> {
  let changed: Document | null = null;
  for (const stage of plan) {
    const answers = await Promise.all(
      stage.map(({ name, collection, command }) => methodOf(name)(db.collection(collection), command, changed)),
    );
    changed = answers.find((_, at) => stage[at]?.name === 'findAndModify') ?? changed;
  }
}

type Method = (collection: Collection, command: Document, changed: Document | null) => Promise<Document | null>;

function methodOf(name: string): Method {
  const method = methods[name];
  if (!method) throw new Error(`A request sends ${name}, which replay.ts does not know`);
  return method;
}

// What a plan inserts exists already: each replay inserts a new document instead, at the place that its room has just given it.
const methods: Record<string, Method> = {
  aggregate: (collection, { pipeline, cursor }) => collection.aggregate(pipeline, cursor).toArray(),
  find: (collection, { filter, projection, sort, limit, batchSize, singleBatch }) => {
    const options = { projection, sort, limit, batchSize, singleBatch };
    return singleBatch ? collection.findOne(filter, { projection, sort }) : collection.find(filter, options).toArray();
  },
  findAndModify: (collection, { query, update, fields, upsert = false }) =>
    collection.findOneAndUpdate(upsert ? withNewId(query) : query, update, {
      projection: fields,
      returnDocument: 'after',
      upsert,
    }),
  insert: (collection, { documents: [document] }, changed) =>
    collection.insertOne({ ...withNewId(document), ...(changed && 'seq' in document && placeOf(changed)) }),
  update: (collection, { updates: [{ q, u, upsert = false }] }) => collection.updateOne(upsert ? withNewId(q) : q, u, { upsert }),
  // The driver sends it by itself.
  getMore: async () => null,
};

const withNewId = (document: Document) => ({ ...document, _id: new ObjectId() });

const placeOf = ({ seq, message_count, changed_at }: Document) => ({ seq, ordinal: message_count, created_at: changed_at });
