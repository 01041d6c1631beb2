import { config } from '../lib/config.ts';
import { fileEndpoint } from '../lib/http/file-endpoint.ts';
import { brandFiles } from '../lib/reference/web-page.ts';
import { readFiles } from '../packages/web/site.ts';

/** `/assets/...` and the other files of the web client. */
export const handler = fileEndpoint('Load a file of the web client', { ...readFiles(), ...brandFiles(config) }, (path) =>
  path.startsWith('/assets/'),
);
