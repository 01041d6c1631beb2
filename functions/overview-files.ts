import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { fileOverviewSchema, findLargestFiles } from '../lib/members/largest-files.ts';

/** `/api/overview/files`: the space in use by files, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the largest files and the top uploaders, without file names',
    access: 'admin',
    status: 200,
    answer: fileOverviewSchema,
    run: findLargestFiles,
  }),
});
