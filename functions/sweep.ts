import { sweepAudit } from '../lib/audit/sweep.ts';
import { log } from '../lib/base/log.ts';
import { type SweepResult, sweepFiles } from '../lib/files/removal.ts';
import { isScheduled, job } from '../lib/http/job.ts';
import { sweepMessages } from '../lib/messages/retention.ts';

/**
 * When the sweeps of files, of messages and of the audit log end, in milliseconds after the start.
 */
const filesMs = 6_000;
const messagesMs = 12_000;
const auditMs = 14_000;

/**
 * Runs each hour: deletes files without a message, deletes expired messages and cuts old entries
 * off the audit log. The next run continues with the rest.
 */
export const handler = job({
  takes: 'events of its schedule',
  isOwn: isScheduled,
  timeMs: 18_000,
  failure: 'files, messages or the audit log were not swept',
  run: async (): Promise<SweepResult & { messages: number; entries: number }> => {
    const begun = performance.now();
    const files = await sweepFiles({ isThorough: true, until: begun + filesMs });
    const messages = await sweepMessages({ until: begun + messagesMs });
    const swept = { ...files, messages, entries: await sweepAudit({ until: begun + auditMs }) };
    log('info', 'swept', swept);
    return swept;
  },
});
