import { pageEndpoint } from '../lib/http/page-endpoint.ts';
import { jsonHelpPage } from '../lib/reference/json-help.ts';
import { fromConfig } from '../lib/settings/config.ts';

/** `/docs/api/json`: the help page that the 406 error links to. */
export const handler = pageEndpoint(
  'Read how to ask for JSON and how to send it',
  fromConfig(({ docsUrl }) => jsonHelpPage(docsUrl)),
);
