import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { fileOverviewSchema, findLargestFiles } from '../lib/members/largest-files.ts';

/** `/api/overview/files`: the space that files take, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'Find the largest files and the accounts that have sent most, without the names of files',
    access: 'admin',
    status: 200,
    answer: fileOverviewSchema,
    run: findLargestFiles,
  }),
});
