import { BSON, type Document } from 'mongodb';
import { type Counts, type ExportSource, exactTypes } from './export-import.ts';

/**
 * How many documents of a collection cannot be read, and whether there are not more; how many may
 * have changed.
 */
type Loss = { documents: number; isExact: boolean; doubtful: number };

/** The readable part of a damaged embedded database. */
export type Leftovers = ExportSource & {
  /** Sentences about lost and doubtful documents, once all documents were read. */
  losses: () => string[];
  close: () => void;
};

/** The documents that are read together. */
const batchSize = 500;

/**
 * The collections of an embedded database whose files are read, without the driver, while nobody
 * has it open.
 */
type Rescue = {
  readonly collections: readonly {
    readonly db: string;
    readonly name: string;
    documents(): Iterable<Uint8Array>;
    lost(): Loss;
  }[];
  /** Frames at the end of the log that cannot be read, though they had been acknowledged. */
  readonly lostFrames: number;
  close(): void;
};

/** The documents of a rescue as the source of an export. */
export function leftoversOf({ collections, lostFrames, close }: Rescue, database: string): Leftovers {
  const own = new Map(collections.filter(({ db }) => db === database).map((collection) => [collection.name, collection]));
  // Values of types that the service does not use may be damaged as well.
  const undecodable: Counts = {};
  const lossOf = (name: string): Loss => {
    const loss = own.get(name)?.lost() ?? { documents: 0, isExact: true, doubtful: 0 };
    return { ...loss, documents: loss.documents + (undecodable[name] ?? 0) };
  };
  return {
    names: [...own.keys()],
    // The expected numbers are unknown.
    expected: {},
    async *read(name) {
      undecodable[name] = 0;
      let batch: Document[] = [];
      for (const bytes of own.get(name)?.documents() ?? []) {
        const document = deserialized(bytes);
        if (document === undefined) undecodable[name]++;
        else batch.push(document);
        if (batch.length < batchSize) continue;
        yield batch;
        batch = [];
      }
      yield batch;
    },
    losses: () => [
      ...(lostFrames > 0 ? [`Left out: the last ${lostFrames} frames of 4 KB of the log, which cannot be read.`] : []),
      ...Object.keys(undecodable).flatMap((name) => sentencesAbout(name, lossOf(name))),
    ],
    close,
  };
}

function sentencesAbout(name: string, { documents, isExact, doubtful }: Loss): string[] {
  const sentences: string[] = [];
  if (documents > 0 || !isExact)
    sentences.push(`Left out: ${documents} documents of ${name} that cannot be read${isExact ? '' : ', and maybe more'}.`);
  if (doubtful > 0)
    sentences.push(`Check by hand: ${doubtful} documents of ${name} are on pages with wrong checksums and may have changed.`);
  return sentences;
}

function deserialized(bytes: Uint8Array): Document | undefined {
  try {
    return BSON.deserialize(bytes, exactTypes);
  } catch {
    return undefined;
  }
}
