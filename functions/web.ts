import { noSuchPath } from '../lib/http/base-chain.ts';
import type { Handler } from '../lib/http/operation.ts';
import { pageEndpoint, redirectForm } from '../lib/http/page-endpoint.ts';
import { pageWords, webPage } from '../lib/reference/web-page.ts';
import { fromConfig } from '../lib/settings/config.ts';
import { readPage } from '../packages/web/site.ts';

const findPage = fromConfig((config) => webPage(readPage(), config));
const page = pageEndpoint('Use the web client', findPage);
const noPage = noSuchPath(findPage);
// Other apps share with a form, which the service worker takes. If it is gone, the page says so.
const shareAgain = redirectForm('/share');

/** The web client: `/`, the addresses of one word, and those of rooms and settings. */
export const handler: Handler = Object.assign(
  (...[event, context]: Parameters<Handler>) => {
    const word = event.pathParameters?.page;
    if (word === 'share' && event.requestContext.http.method === 'POST') return shareAgain(event, context);
    return word === undefined || pageWords.has(word) ? page(event, context) : noPage(event, context);
  },
  { operations: page.operations },
);
