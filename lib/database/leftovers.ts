import { BSON, type Document } from 'mongodb';
import { type Counts, type ExportSource, exactTypes } from './export-import.ts';

/** How many documents of a collection cannot be read; `isExact`: there are not more. */
export type Loss = { name: string; documents: number; isExact: boolean };

/** What can still be read of a damaged embedded database. */
export type Leftovers = ExportSource & {
  /** Those of some collections of which documents are lost, once all were read. */
  losses: (names: string[]) => Loss[];
  close: () => void;
};

/** The documents that are read together. */
const batchSize = 500;

/** The collections of an embedded database whose files are read, without the driver, while nobody has it open. */
type Rescue = {
  readonly collections: readonly {
    readonly db: string;
    readonly name: string;
    documents(): Iterable<Uint8Array>;
    lost(): Omit<Loss, 'name'>;
  }[];
  close(): void;
};

/** Gives the documents of a rescue to an export. */
export function leftoversOf({ collections, close }: Rescue, database: string): Leftovers {
  const own = new Map(collections.filter(({ db }) => db === database).map((collection) => [collection.name, collection]));
  // Values of types that the service does not use may be damaged as well.
  const undecodable: Counts = {};
  return {
    names: [...own.keys()],
    // Nobody knows how many there should be.
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
    losses: (names) =>
      names.flatMap((name) => {
        const { documents: unreadable, isExact } = own.get(name)?.lost() ?? { documents: 0, isExact: true };
        const documents = unreadable + (undecodable[name] ?? 0);
        return documents > 0 || !isExact ? [{ name, documents, isExact }] : [];
      }),
    close,
  };
}

function deserialized(bytes: Uint8Array): Document | undefined {
  try {
    return BSON.deserialize(bytes, exactTypes);
  } catch {
    return undefined;
  }
}
