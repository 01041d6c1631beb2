import middy, { type Request } from '@middy/core';
import type { Context } from 'aws-lambda';
import { withDeadline } from '../lib/base/deadline.ts';
import { log } from '../lib/base/log.ts';
import { pushMetrics } from '../lib/base/metrics.ts';
import { type Delivery, deliver } from '../lib/gateway/deliver.ts';
import { logFailure } from '../lib/http/log-failure.ts';
import { carrier } from '../lib/notices/carrier.ts';
import { hasOthersToTell, type Notice } from '../lib/notices/notices.ts';

/** For how many milliseconds frames may be sent: what is left after that is late, and the feed has it. */
const longest = 18_000;

/**
 * Tells those who are connected to a gateway what other functions have done, and has `notify` tell devices whose page
 * is closed and the receivers of webhooks; nobody waits for it.
 */
export const handler = middy<{ notices: Notice[] }, Delivery, Error, Context>({
  timeoutEarlyInMillis: 0,
  requestEnd: logDelivery,
})
  .use(logFailure('push failed'))
  .handler(({ notices }) =>
    withDeadline(performance.now() + longest, async () => (await Promise.all([deliver(notices), tellOthers(notices)]))[0]),
  );

/** Has devices and receivers of webhooks told of the rooms in which something happened. */
async function tellOthers(notices: Notice[]): Promise<void> {
  const rooms = [...new Set(notices.flatMap((notice) => (notice.type === 'moved' ? [notice.room] : [])))];
  if (rooms.length > 0 && (await hasOthersToTell())) await carrier?.invoke(JSON.stringify({ rooms }));
}

function logDelivery(request: Request): void {
  const { event, context, response } = request as Request<{ notices: Notice[] }, Delivery, Error, Context>;
  const delivery = response ?? { sent: 0, gone: 0, dropped: 0 };
  log('info', 'push', { request_id: context.awsRequestId, notices: event.notices.length, ...delivery, ...pushMetrics() });
}
