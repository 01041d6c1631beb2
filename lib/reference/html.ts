/** Escaped HTML, as opposed to text that must still be escaped. */
export class Html {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * HTML from a template. Values are escaped unless they are `Html`. Lists are joined; `false` and
 * `undefined` become empty.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlContent[]): Html {
  return new Html(parts.map((part, at) => part + (at < values.length ? sourceOf(values[at]) : '')).join(''));
}

type HtmlContent = Html | string | number | boolean | undefined | HtmlContent[];

function sourceOf(value: HtmlContent): string {
  if (value instanceof Html) return value.source;
  if (Array.isArray(value)) return value.map(sourceOf).join('');
  if (value === undefined || typeof value === 'boolean') return '';
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Converts text with `code` between backticks to HTML. */
export const prose = (text: string): Html[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
