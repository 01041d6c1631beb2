import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { overviewSchema, readOverview } from '../lib/operating/overview.ts';

/** `/api/overview`: the state and the usage of the service, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get the numbers of the service, and the things that need attention',
    access: 'admin',
    status: 200,
    answer: overviewSchema,
    run: readOverview,
  }),
});
