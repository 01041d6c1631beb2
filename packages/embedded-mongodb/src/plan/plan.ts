import type { KeyRange } from '../storage/index/key.ts';
import type { StoredIndex } from '../storage/index/stored-index.ts';
import type { TextIndex } from '../storage/index/text-index.ts';
import type { Doc } from '../values/value.ts';
import type { Interval } from './intervals.ts';
import type { TextSearch } from './text-search.ts';

/** What is asked of a collection. */
export type Query = {
  readonly filter: Doc;
  readonly sort?: Doc | undefined;
};

/** How an index answers a query. */
export type IndexPlan = {
  readonly index: StoredIndex;
  /** In the order in which they are to be read. */
  readonly ranges: readonly KeyRange[];
  /** The intervals by field, as `explain` shows them. */
  readonly intervals: readonly (readonly Interval[])[];
  readonly backward: boolean;
  /** What of the filter the index does not tell, and is to be asked of each document found. */
  readonly residual: Doc;
  /** The documents come in the order that was asked for. */
  readonly sorted: boolean;
  /** The one range is a single key, which at most one document has. */
  readonly isUnique?: boolean;
};

/** How a text index answers a query. */
export type TextPlan = {
  readonly index: TextIndex;
  readonly search: TextSearch;
  /** What stands in the index for the words that are looked for, and the expressions of which one must hold for a document. */
  readonly tokens: readonly string[];
  readonly expressions: readonly string[];
  /** The order that is asked for, and the index that has the documents in it. */
  readonly order: { readonly sort: Doc; readonly by: IndexPlan } | undefined;
};

/** How a query is answered: by an index, or by all documents in the order in which they are stored. */
export type Plan = {
  readonly index: IndexPlan | undefined;
  /** Set for a query with `$text`, which nothing else answers. */
  readonly text?: TextPlan;
  readonly backward: boolean;
  /** What is to be asked of each document: without an index the whole filter. */
  readonly residual: Doc;
  readonly sorted: boolean;
};

/** What `explain` counts. */
export type Counts = {
  keys: number;
  documents: number;
};
