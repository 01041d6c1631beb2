import { listOf } from '../lib/api/schema.ts';
import { auditEntrySchema, auditQuery, listAudit } from '../lib/audit/list.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/audit`: the audit log of administrators, the command line and the service. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the audit log, newest entry first: actor, action, target, time and address',
    access: 'admin',
    query: auditQuery,
    status: 200,
    answer: listOf(auditEntrySchema),
    run: async ({ query, request }) => answerList(await listAudit(query), request),
  }),
});
