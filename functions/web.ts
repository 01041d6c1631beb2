import { pageEndpoint } from '../lib/http/page-endpoint.ts';
import { webPage } from '../lib/reference/web-page.ts';
import { fromConfig } from '../lib/settings/config.ts';
import { readPage } from '../packages/web/site.ts';

/** `/` and the addresses of rooms: the web client. */
export const handler = pageEndpoint(
  'Use the web client',
  fromConfig((config) => webPage(readPage(), config)),
);
