import { noSuchPath } from '../lib/http/base-chain.ts';
import { webPage } from '../lib/reference/web-page.ts';
import { fromConfig } from '../lib/settings/config.ts';
import { readPage } from '../packages/web/site.ts';

/** The 404 of every path without a function. */
export const handler = noSuchPath(fromConfig((config) => webPage(readPage(), config)));
