import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { checkHealth, healthSchema } from '../lib/operating/health.ts';

/** `/api/health`: the state of the service, for monitoring. */
export const handler = endpoint({
  GET: operation({
    summary: 'Check that the service runs and reaches its database',
    access: 'anyone',
    status: 200,
    answer: healthSchema,
    run: checkHealth,
  }),
});
