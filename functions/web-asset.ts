import { fileEndpoint } from '../lib/http/file-endpoint.ts';
import { brandFiles } from '../lib/reference/web-page.ts';
import { fromConfig } from '../lib/settings/config.ts';
import { readFiles } from '../packages/web/site.ts';

const { '/sw.js': worker, ...files } = readFiles() ?? {};
// A service worker uses the policy of its own response. It fetches and caches the other files.
const policy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";
const all = fromConfig((config) => ({ ...files, ...brandFiles(config), ...(worker && { '/sw.js': { ...worker, policy } }) }));

/** `/assets/...` and the other files of the web client. */
export const handler = fileEndpoint('Load a file of the web client', all, (path) => path.startsWith('/assets/'));
