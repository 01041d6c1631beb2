import { listOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { listSettings, settingSchema } from '../lib/operating/shown-settings.ts';

/** `/api/settings`: the settings of the service, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the settings of the service, without its secrets',
    access: 'admin',
    status: 200,
    answer: listOf(settingSchema),
    run: async () => listSettings(),
  }),
});
