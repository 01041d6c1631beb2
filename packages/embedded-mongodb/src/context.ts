import type { Operation } from './operation.ts';
import type { Doc } from './values/value.ts';

/** The command that a filter, an expression or a pipeline belongs to. */
export type Context = {
  /** The value of `$$NOW` and `$currentDate`: the same instant for the whole command. */
  readonly now?: Date;
  /** Limits the command's time and memory. */
  readonly operation?: Operation | undefined;
  /**
   * True if a text index evaluates a `$text` at the top of the filter, so that the filter need not.
   */
  readonly hasText?: boolean;
  /** The relevance of a document, for `{ $meta: 'textScore' }`. */
  readonly textScore?: ((doc: Doc) => number) | undefined;
};
