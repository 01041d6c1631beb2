import type { Page } from '../reference/page.ts';
import { asHandler, decorated } from './base-chain.ts';
import { method } from './middleware/method.ts';
import { operation } from './operation.ts';
import type { Handler } from './request.ts';

/** The handler of a path that shows a page to people: to anyone, whatever the request accepts. */
export function pageEndpoint(summary: string, { source, policy }: Page): Handler {
  const operations = {
    GET: operation({ summary, access: 'anyone', type: 'text/html', status: 200, run: async () => source }),
  };
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'max-age=0, must-revalidate',
    'Content-Security-Policy': policy,
    Vary: 'Accept-Encoding',
  };
  const allow = 'GET, OPTIONS';
  const chain = decorated(allow)
    .use(method({ operations, allow }))
    .handler(() => ({ statusCode: 200, headers: { ...headers }, body: source }));
  return asHandler(chain, operations);
}
