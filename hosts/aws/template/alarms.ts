import { addResources, type Serverless } from './serverless.ts';

/** Adds the alarms of a deployment, and the topic that notifies `ALARM_EMAIL`. */
export function addAlarms(serverless: Serverless): void {
  const { service } = serverless;
  const { alarmEmail } = service.custom.deployment;
  const actions = alarmEmail ? [{ Ref: 'AlarmTopic' }] : [];
  const prefix = `${service.service}-${serverless.getProvider('aws').getStage()}`;
  const alarm = (description: string, metric: Record<string, unknown>) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmDescription: `${prefix}: ${description}`,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
      Period: 60,
      EvaluationPeriods: 1,
      AlarmActions: actions,
      OKActions: actions,
      ...metric,
    },
  });
  const ofFunction = (name: string, MetricName: string, description: string, more: object = {}) =>
    alarm(description, {
      Namespace: 'AWS/Lambda',
      MetricName,
      Dimensions: [{ Name: 'FunctionName', Value: `${prefix}-${name}` }],
      Statistic: 'Sum',
      Threshold: 5,
      ...more,
    });

  addResources(service, {
    ...(alarmEmail && {
      AlarmTopic: {
        Type: 'AWS::SNS::Topic',
        Properties: { Subscription: [{ Protocol: 'email', Endpoint: alarmEmail }] },
      },
    }),
    // This includes throttled functions, for which the gateway responds with 503.
    AlarmServerErrors: alarm('responses with 5xx', { ...apiMetric('5xx'), Statistic: 'Sum', Threshold: 5 }),
    AlarmSlow: alarm('1 % of the responses take more than 2 seconds', {
      ...apiMetric('Latency'),
      ExtendedStatistic: 'p99',
      Threshold: 2_000,
      Period: 300,
      EvaluationPeriods: 3,
      // With few requests, the p99 is the slowest one, usually a cold start.
      EvaluateLowSampleCountPercentile: 'ignore',
    }),
    AlarmSocketErrors: alarm('WebSocket events that no function took', {
      Namespace: 'AWS/ApiGateway',
      Dimensions: [{ Name: 'ApiId', Value: { Ref: 'WebsocketsApi' } }],
      MetricName: 'IntegrationError',
      Statistic: 'Sum',
      Threshold: 5,
    }),
    // Without a dimension, this metric covers all functions of the account in this region. They
    // share its concurrency.
    AlarmThrottles: alarm('functions of this account are throttled: too many run concurrently', {
      Namespace: 'AWS/Lambda',
      MetricName: 'Throttles',
      Statistic: 'Sum',
      Threshold: 5,
      EvaluationPeriods: 3,
    }),
    AlarmPushErrors: ofFunction('push', 'Errors', 'pushes failed; pages catch up within minutes'),
    AlarmPushDropped: ofFunction('push', 'AsyncEventsDropped', 'pushes dropped; pages catch up within minutes'),
    AlarmDeadLetters: alarm('rooms whose webhooks or devices failed five times', {
      Namespace: 'AWS/SQS',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['DeadLetterQueue', 'QueueName'] } }],
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Statistic: 'Maximum',
      Threshold: 0,
    }),
    AlarmNotifyErrors: ofFunction('notify', 'Errors', 'retries, reminders and e-mails fail'),
    AlarmSweepErrors: ofFunction('sweep', 'Errors', 'deleted files and old messages may still be stored', {
      // Alarm after two consecutive failures: nothing else reveals them.
      Period: 10_800,
      Threshold: 1,
    }),
  });
}

const apiMetric = (MetricName: string) => ({
  Namespace: 'AWS/ApiGateway',
  Dimensions: [{ Name: 'ApiId', Value: { Ref: 'HttpApi' } }],
  MetricName,
});
