import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';
import { style } from './style.ts';

/** A page for people: its HTML, and a policy that permits only its own script and style. */
export type Page = { source: string; policy: string };

/**
 * Creates a page. Its script is a function without arguments that refers to nothing outside itself.
 * With `hasForm`, the page may send a form to its own origin.
 */
export function makePage(title: string, body: Html, script?: () => void, { hasForm = false } = {}): Page {
  // With the option to keep function names, esbuild calls `__name` for each function.
  const code = script && `{ const __name = (named) => named; (${script})(); }`;
  const scripts = code === undefined ? "'none'" : hashOf(code);
  const { source } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
${body}
${code !== undefined && html`<script>${new Html(code)}</script>`}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; ');
  return { source, policy };
}

const hashOf = (code: string) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
