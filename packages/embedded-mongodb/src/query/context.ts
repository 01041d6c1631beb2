import type { TextOrder } from './compare.ts';
import type { Cell } from './expressions/operator.ts';
import type { Doc, Value } from './value.ts';

/** What a filter, an expression or a pipeline may need to know about the command it stands in. */
export interface Context {
  /** The time that `$$NOW` and `$currentDate` give: one instant for a whole command. */
  readonly now?: Date;
  /** The variables of the command's `let`. */
  readonly variables?: ReadonlyMap<string, Value>;
  /** Variables that change from document to document, such as those of an enclosing `$lookup`. */
  readonly cells?: Readonly<Record<string, Cell>>;
  /** The order of texts that a collation asks for; by bytes without it. */
  readonly texts?: TextOrder | undefined;
  /** Answers `$text`: made once from the operator's argument, it gives a document's score, `undefined` where it does not match. */
  readonly text?: (search: Doc) => (doc: Doc) => number | undefined;
  /** The relevance of a document for `{ $meta: 'textScore' }`. */
  readonly textScore?: (doc: Doc) => number | undefined;
}
