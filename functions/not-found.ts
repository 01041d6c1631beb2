import { noSuchPath } from '../lib/http/base-chain.ts';
import { webPage } from '../lib/reference/web-page.ts';
import { fromConfig } from '../lib/settings/config.ts';
import { readPage } from '../packages/web/site.ts';

/** Every path that no other function has. */
export const handler = noSuchPath(fromConfig((config) => webPage(readPage(), config)));
