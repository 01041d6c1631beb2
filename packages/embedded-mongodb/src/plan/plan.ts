import type { KeyRange } from '../storage/index/key.ts';
import type { StoredIndex } from '../storage/index/stored-index.ts';
import type { TextIndex } from '../storage/index/text-index.ts';
import type { Doc } from '../values/value.ts';
import type { Interval } from './intervals.ts';
import type { TextSearch } from './text-search.ts';

/** A filter with an optional sort. */
export type Query = {
  readonly filter: Doc;
  readonly sort?: Doc | undefined;
};

/** How an ordered index answers a query. */
export type IndexPlan = {
  readonly index: StoredIndex;
  /** In the order in which they must be read. */
  readonly ranges: readonly KeyRange[];
  /** The intervals by field, as `explain` shows them. */
  readonly intervals: readonly (readonly Interval[])[];
  readonly backward: boolean;
  /** The part of the filter that the index does not answer. It is evaluated on each document. */
  readonly residual: Doc;
  /** The index returns the documents in the requested order. */
  readonly sorted: boolean;
  /** The only range is a single key of a unique index. */
  readonly isUnique?: boolean;
};

/** How a text index answers a query. */
export type TextPlan = {
  readonly index: TextIndex;
  readonly search: TextSearch;
  /**
   * The tokens to look up in the index, and the expressions. A document must match at least one
   * expression.
   */
  readonly tokens: readonly string[];
  readonly expressions: readonly string[];
  /** The requested order, and the index that provides it. */
  readonly order: { readonly sort: Doc; readonly by: IndexPlan } | undefined;
};

/** How a query is answered: by an index, or by a scan of all documents in storage order. */
export type Plan = {
  readonly index: IndexPlan | undefined;
  /** Set for a query with `$text`, which only a text index can answer. */
  readonly text?: TextPlan;
  readonly backward: boolean;
  /**
   * The part of the filter that is evaluated on each document; without an index, the whole filter.
   */
  readonly residual: Doc;
  readonly sorted: boolean;
};

/** The keys and documents examined, for `explain`. */
export type Counts = {
  keys: number;
  documents: number;
};
