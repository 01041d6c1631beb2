import { config } from '../lib/config.ts';
import { pageEndpoint } from '../lib/http/page-endpoint.ts';
import { jsonHelpPage } from '../lib/reference/json-help.ts';

/** `/docs/api/json`: the help page that the 406 error links to. */
export const handler = pageEndpoint('Read how to ask for JSON and how to send it', jsonHelpPage(config.docsUrl));
