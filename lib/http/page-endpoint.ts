import type { Page } from '../reference/page.ts';
import { baseChain, pageHeaders, toLambdaHandler } from './base-chain.ts';
import { method } from './middleware/method.ts';
import { allowedMethods, type Handler, operation } from './operation.ts';

/** The handler of a public HTML page, whatever media type the request accepts. */
export function pageEndpoint(summary: string, findPage: () => Page): Handler {
  const run = async () => findPage().source;
  const operations = { GET: operation({ summary, access: 'anyone', type: 'text/html', status: 200, run }) };
  const allow = allowedMethods(operations);
  const chain = baseChain(allow)
    .use(method({ operations, allow }))
    .handler(async () => ({ statusCode: 200, headers: pageHeaders(findPage()), body: await run() }));
  return toLambdaHandler(chain, operations);
}

/** The handler of a form that only leads to a page: the browser goes there with GET. */
export const redirectForm = (location: string): Handler =>
  toLambdaHandler(
    baseChain('POST, OPTIONS').handler(async () => ({ statusCode: 303, headers: { Location: location } })),
    {},
  );
