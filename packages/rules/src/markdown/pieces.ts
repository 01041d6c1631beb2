/**
 * A piece of a line. The text of a mention or an emoji code is as typed, such as `@ann` or
 * `:smile:`.
 */
export type Inline =
  | { type: 'text' | 'code' | 'mention' | 'emoji'; text: string }
  | { type: 'strong' | 'em' | 'del'; children: Inline[] }
  | { type: 'link'; href: string; title?: string; children: Inline[] };

/** The alignment of a column's cells; undefined if the text does not state one. */
export type Alignment = 'left' | 'center' | 'right' | undefined;

/** A block of a message's text. */
export type Block =
  | { type: 'paragraph' | 'heading'; children: Inline[] }
  | { type: 'code'; text: string; language: string }
  | { type: 'quote'; children: Block[] }
  | { type: 'list'; start: number | undefined; items: Block[][] }
  | { type: 'table'; head: Inline[][]; rows: Inline[][][]; align: Alignment[] }
  | { type: 'rule' };

/** A block, and the index of the line after it. */
export type FoundBlock = { block: Block; end: number };
