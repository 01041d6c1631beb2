/** A piece of HTML, as opposed to text that has yet to be escaped. */
export class Html {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * HTML from a template; what stands in it is escaped unless it is HTML itself. Lists are joined, `false` and
 * `undefined` are nothing.
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

/** Text with `code` between backticks. */
export const prose = (text: string): Html[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
