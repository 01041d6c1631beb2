import type { Context } from 'aws-lambda';
import { log } from '../base/log.ts';

/**
 * Answers an event that is not for this function, such as a test event of the console or a warm-up
 * call. The log omits the event's content, which may contain secrets.
 */
export function refuseForeignEvent(expected: string, event: unknown, context?: Context): string {
  const fields = typeof event === 'object' && event !== null ? Object.keys(event).slice(0, 10) : typeof event;
  log('info', 'foreign event', { request_id: context?.awsRequestId, expected, fields });
  return `This function takes ${expected}, not this event.`;
}
