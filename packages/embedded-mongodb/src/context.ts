import type { Doc } from './values/value.ts';

/** What a filter, an expression or a pipeline may need to know about the command it stands in. */
export type Context = {
  /** The time that `$$NOW` and `$currentDate` give: one instant for a whole command. */
  readonly now?: Date;
  /** Answers `$text`: made once from the operator's argument, it gives a document's score, `undefined` where it does not match. */
  readonly text?: (search: Doc) => (doc: Doc) => number | undefined;
  /** The relevance of a document for `{ $meta: 'textScore' }`. */
  readonly textScore?: (doc: Doc) => number | undefined;
};
