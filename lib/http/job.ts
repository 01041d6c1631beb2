import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { withDeadline } from '../base/deadline.ts';
import { carryNotices } from '../notices/notices.ts';
import { refuseForeignEvent } from './foreign-events.ts';
import { logFailure } from './log-failure.ts';

/** A function that a queue, a schedule or another function invokes, not a request. */
type Job<Event, Result> = {
  /** The accepted events, for the answer to others. */
  takes: string;
  isOwn: (event: unknown) => event is Event;
  /** The time for the work. */
  timeMs: number;
  /** The log line of a failure. */
  failure: string;
  run: (event: Event, context: Context) => Promise<Result>;
};

/**
 * Notices are sent during the work: it may continue long after a change that connected clients wait
 * for.
 */
const carryEveryMs = 200;

/**
 * The handler of a job: adds the deadline, the notices, the log line of a failure, and the answer
 * to foreign events.
 */
export const job = <Event, Result>({ takes, isOwn, timeMs, failure, run }: Job<Event, Result>) =>
  middy<unknown, Result | { ignored: string }, Error, Context>({ timeoutEarlyInMillis: 0 })
    .use(logFailure(failure))
    .handler(async (event, context) => {
      if (!isOwn(event)) return { ignored: refuseForeignEvent(takes, event, context) };
      const carrying = setInterval(carryNotices, carryEveryMs);
      try {
        return await withDeadline(performance.now() + timeMs, () => run(event, context));
      } finally {
        clearInterval(carrying);
        await carryNotices();
      }
    });

/** An event of a schedule. */
export type ScheduledEvent = { source: 'aws.events'; time: string };

export const isScheduled = (event: unknown): event is ScheduledEvent =>
  (event as Partial<ScheduledEvent> | null)?.source === 'aws.events';
