import { type Document, Long, UUID } from 'bson';
import { createRandom } from './random.ts';

/** A document as it must be stored. */
export type KeptDocument = {
  readonly _id: string;
  readonly writer: number;
  readonly key: string;
  readonly n: number;
  readonly pad: string;
};

/** A write command and its expected effect. */
export type Step = {
  readonly command: Document;
  /** The documents after the command; `undefined` if removed. Either all or none of them change. */
  readonly changes: ReadonlyMap<string, KeptDocument | undefined>;
  /** True if this is the expected reply, both for the first attempt and for a retry. */
  readonly answeredBy: (reply: Document) => boolean;
};

/** A client with its documents in a shared collection, and its pending command. */
export type Writer = {
  readonly id: number;
  /** The documents after all acknowledged commands. */
  readonly model: ReadonlyMap<string, KeptDocument>;
  /** Sent but not acknowledged. */
  readonly pending: Step | undefined;
  /** Returns the pending command again, or else a new one. */
  next(): Step;
  acknowledged(reply: Document): void;
};

export const sharedCollection = 'kept';

/**
 * Creates a writer whose commands depend on the seed. Each command is numbered, so that it can be
 * retried.
 */
export function createWriter(id: number, seed: number): Writer {
  const random = createRandom(seed + id);
  const model = new Map<string, KeptDocument>();
  const ids: string[] = [];
  const lsid = { id: new UUID() };
  let made = 0;
  let number = 0;
  let pending: Step | undefined;

  const fresh = (): KeptDocument => {
    const _id = `${id}-${++made}`;
    // Some documents occupy several pages of the file.
    const size = random.below(100) === 0 ? 20_000 : 300;
    return { _id, writer: id, key: `key ${_id}`, n: 0, pad: `${_id};`.repeat(random.below(size / 10)) };
  };
  const anyOf = () => model.get(random.pick(ids)) as KeptDocument;
  const numbered = (command: Document): Document => ({
    ...command,
    lsid,
    txnNumber: Long.fromNumber(++number),
    writeConcern: { w: 'majority', j: true },
  });

  const insert = (count: number): Step => {
    const documents = Array.from({ length: count }, fresh);
    return {
      command: numbered({ insert: sharedCollection, documents }),
      changes: new Map(documents.map((document) => [document._id, document])),
      answeredBy: ({ ok, n, writeErrors }) => ok === 1 && n === count && writeErrors === undefined,
    };
  };
  const update = (): Step => {
    const before = anyOf();
    const u = random.below(3) > 0 ? { $inc: { n: 1 } } : { $inc: { n: 1 }, $set: { key: `key ${before._id} ${++made}` } };
    return {
      command: numbered({ update: sharedCollection, updates: [{ q: { _id: before._id }, u }] }),
      changes: new Map([[before._id, { ...before, ...u.$set, n: before.n + 1 }]]),
      answeredBy: ({ ok, n, nModified }) => ok === 1 && n === 1 && nModified === 1,
    };
  };
  const findAndModify = (): Step => {
    const { key, ...before } = anyOf();
    return {
      command: numbered({ findAndModify: sharedCollection, query: { key }, update: { $inc: { n: 1 } }, new: true }),
      changes: new Map([[before._id, { ...before, key, n: before.n + 1 }]]),
      answeredBy: ({ ok, value }) => ok === 1 && value._id === before._id && value.n === before.n + 1,
    };
  };
  const remove = (): Step => {
    const { _id } = anyOf();
    return {
      command: numbered({ delete: sharedCollection, deletes: [{ q: { _id }, limit: 1 }] }),
      changes: new Map([[_id, undefined]]),
      answeredBy: ({ ok, n }) => ok === 1 && n === 1,
    };
  };
  const collide = (): Step => ({
    command: numbered({ insert: sharedCollection, documents: [{ ...fresh(), key: anyOf().key }] }),
    changes: new Map(),
    answeredBy: ({ ok, n, writeErrors }) => ok === 1 && n === 0 && writeErrors[0].code === 11000,
  });
  const choose = (): Step => {
    const dice = random.below(100);
    if (dice < 35 || ids.length < 3) return insert(1);
    if (dice < 45) return insert(3);
    if (dice < 70) return update();
    if (dice < 85) return findAndModify();
    return dice < 95 ? remove() : collide();
  };

  return {
    id,
    model,
    get pending() {
      return pending;
    },
    next() {
      pending ??= choose();
      return pending;
    },
    acknowledged(reply) {
      if (!pending?.answeredBy(reply)) throw new Error(`${JSON.stringify(reply)} answers ${JSON.stringify(pending?.command)}`);
      for (const [_id, after] of pending.changes) {
        if (after === undefined) ids.splice(ids.indexOf(_id), 1);
        else if (!model.has(_id)) ids.push(_id);
        if (after === undefined) model.delete(_id);
        else model.set(_id, after);
      }
      pending = undefined;
    },
  };
}
