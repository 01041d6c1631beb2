import type { DeployedFunction } from './roles.ts';

/** When a function is to be looked at: a metric of Lambda's that exceeds a threshold, and what that means. */
type FunctionAlarm = { metric: string; means: string; Threshold: number; Period?: number };

/** Pushes have no alarm when they are throttled: a burst is taken so, and those that wait run a little later. */
const ofPushes = (what: string, consequence: string): FunctionAlarm[] => [
  { metric: 'Errors', means: `${what} failed; ${consequence}`, Threshold: 5 },
  // They were given up in the queue before they had begun.
  { metric: 'AsyncEventsDropped', means: `${what} dropped; ${consequence}`, Threshold: 5 },
];
const ofRequests: FunctionAlarm[] = [{ metric: 'Throttles', means: 'calls throttled, too many run concurrently', Threshold: 0 }];

/** By function, the alarms of those that nobody waits for; the others have `ofRequests`. */
const alarms: Record<string, FunctionAlarm[]> = {
  push: ofPushes('pushes', 'an open page finds what it misses a few minutes later'),
  notify: ofPushes('notifications or webhooks', 'the schedule sends what was missed within ten minutes or so'),
  // Twice in a row, which nobody else would notice.
  sweep: [
    {
      metric: 'Errors',
      means: 'files were not swept; what was deleted may still be stored',
      Period: 10_800,
      Threshold: 1,
    },
  ],
};

/** The alarms of a function. */
export const alarmsOf = ({ name, functionName, logicalId }: DeployedFunction, actions: unknown[]) =>
  Object.fromEntries(
    (alarms[name] ?? ofRequests).map(({ metric, means, ...limits }) => [
      `${logicalId}Alarm${metric}`,
      alarm(`${functionName}: ${means}`, actions, {
        Namespace: 'AWS/Lambda',
        MetricName: metric,
        Dimensions: [{ Name: 'FunctionName', Value: functionName }],
        Statistic: 'Sum',
        ...limits,
      }),
    ]),
  );

/** Alarms on errors and slow responses of the API as a whole. */
export const apiAlarms = (service: string, actions: unknown[]) => ({
  AlarmServerErrors: alarm(`${service}: responses with 5xx`, actions, {
    ...ofTheApi,
    MetricName: '5xx',
    Statistic: 'Sum',
    Threshold: 5,
  }),
  AlarmSlow: alarm(`${service}: 1 % of the responses take more than 2 seconds`, actions, {
    ...ofTheApi,
    MetricName: 'Latency',
    ExtendedStatistic: 'p99',
    Threshold: 2_000,
    EvaluationPeriods: 3,
  }),
  AlarmSocketErrors: alarm(`${service}: WebSocket events that no function took`, actions, {
    Namespace: 'AWS/ApiGateway',
    Dimensions: [{ Name: 'ApiId', Value: { Ref: 'WebsocketsApi' } }],
    MetricName: 'IntegrationError',
    Statistic: 'Sum',
    Threshold: 5,
  }),
});

/** The topic that alarms go to, with one e-mail address. */
export const alarmTopic = (email: string) => ({
  Type: 'AWS::SNS::Topic',
  Properties: { Subscription: [{ Protocol: 'email', Endpoint: email }] },
});

const ofTheApi = { Namespace: 'AWS/ApiGateway', Dimensions: [{ Name: 'ApiId', Value: { Ref: 'HttpApi' } }] };

const alarm = (description: string, actions: unknown[], metric: Record<string, unknown>) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmDescription: description,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
    Period: 60,
    EvaluationPeriods: 1,
    AlarmActions: actions,
    OKActions: actions,
    ...metric,
  },
});
