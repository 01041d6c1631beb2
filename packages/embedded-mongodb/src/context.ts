import type { Operation } from './operation.ts';
import type { Doc } from './values/value.ts';

/** What a filter, an expression or a pipeline may need to know about the command it stands in. */
export type Context = {
  /** The time that `$$NOW` and `$currentDate` give: one instant for a whole command. */
  readonly now?: Date;
  /** The command at work, which looks at its time and its memory. */
  readonly operation?: Operation | undefined;
  /** Whether a `$text` at the top of a filter is answered where the documents are found. */
  readonly hasText?: boolean;
  /** The relevance of a document for `{ $meta: 'textScore' }`. */
  readonly textScore?: ((doc: Doc) => number) | undefined;
};
