import { channel } from 'node:diagnostics_channel';
import { config } from './config.ts';

/** How one request went. */
export type RequestEnded = { function: string; method: string; status: number; milliseconds: number };

/** Where each request is told when it has ended, for whoever counts. */
export const requestEnded = channel('chat-service:request');

/** What makes a log line a metric, too: CloudWatch's Embedded Metric Format, on Lambda and when it is asked for. */
export function embeddedMetrics({ function: name, status }: RequestEnded, at = Date.now()): Record<string, unknown> {
  if (!config.metrics || process.env.AWS_LAMBDA_FUNCTION_NAME === undefined) return {};
  return { _aws: { Timestamp: at, CloudWatchMetrics: [directive] }, function: name, server_errors: Number(status >= 500) };
}

const directive = {
  Namespace: 'chat-service',
  Dimensions: [['function']],
  Metrics: [
    { Name: 'milliseconds', Unit: 'Milliseconds' },
    { Name: 'server_errors', Unit: 'Count' },
  ],
};
