import { channel } from 'node:diagnostics_channel';
import { config, isOnLambda } from '../settings/config.ts';

/** The end of one request; `refusal` is the code of its error. */
export type RequestEnded = { function: string; method: string; status: number; milliseconds: number; refusal?: string };

/** The channel that publishes a `RequestEnded` for every request. */
export const requestEnded = channel('chat-service:request');

/**
 * The fields that turn a log line into a metric in CloudWatch's Embedded Metric Format. Empty
 * unless this is Lambda and `METRICS` is on.
 */
export function embeddedMetrics({ function: name, status }: RequestEnded, at = Date.now()): Record<string, unknown> {
  if (!config.metrics || !isOnLambda) return {};
  return { _aws: { Timestamp: at, CloudWatchMetrics: [directive] }, function: name, server_errors: Number(status >= 500) };
}

/**
 * The metric fields of a log line about pushed frames: sent frames, dead connections and dropped
 * frames. Empty unless this is Lambda and `METRICS` is on.
 */
export const pushMetrics = (at = Date.now()): Record<string, unknown> =>
  config.metrics && isOnLambda ? { _aws: { Timestamp: at, CloudWatchMetrics: [ofPushes] } } : {};

const ofPushes = {
  Namespace: 'chat-service',
  Dimensions: [[]],
  Metrics: ['sent', 'gone', 'dropped'].map((Name) => ({ Name, Unit: 'Count' })),
};

const directive = {
  Namespace: 'chat-service',
  Dimensions: [['function']],
  Metrics: [
    { Name: 'milliseconds', Unit: 'Milliseconds' },
    { Name: 'server_errors', Unit: 'Count' },
  ],
};
