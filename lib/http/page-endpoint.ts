import type { Page } from '../reference/page.ts';
import { baseChain, toLambdaHandler } from './base-chain.ts';
import { method } from './middleware/method.ts';
import { type Handler, operation } from './operation.ts';

/** The handler of a path that shows a page to people: to anyone, whatever the request accepts. */
export function pageEndpoint(summary: string, { source, policy }: Page): Handler {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'max-age=0, must-revalidate',
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    Vary: 'Accept-Encoding',
  };
  const run = async () => source;
  const operations = { GET: operation({ summary, access: 'anyone', type: 'text/html', status: 200, run }) };
  const allow = [...Object.keys(operations), 'OPTIONS'].join(', ');
  const chain = baseChain(allow)
    .use(method({ operations, allow }))
    .handler(async () => ({ statusCode: 200, headers: { ...headers }, body: await run() }));
  return toLambdaHandler(chain, operations);
}
