/** One function, as far as its resources depend on it. */
export type Deployed = { name: string; functionName: string; logicalId: string; isTraced: boolean };

/** A function's role: it may write its own log (and traces, where there are any), and nothing else. */
export const roleOf = ({ functionName, isTraced }: Deployed) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: ['lambda.amazonaws.com'] }, Action: ['sts:AssumeRole'] }],
    },
    Policies: [
      {
        PolicyName: 'logs',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              Resource: [
                {
                  'Fn::Sub': `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/${functionName}:*`,
                },
              ],
            },
            // X-Ray knows no resources.
            ...(isTraced
              ? [{ Effect: 'Allow', Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], Resource: ['*'] }]
              : []),
          ],
        },
      },
    ],
  },
});

/** Tells when a function's calls are refused because too many run at once. */
export const throttleAlarmOf = ({ functionName }: Deployed, actions: unknown[]) =>
  alarm(`${functionName}: calls refused, too many at once`, actions, {
    Namespace: 'AWS/Lambda',
    MetricName: 'Throttles',
    Dimensions: [{ Name: 'FunctionName', Value: functionName }],
    Statistic: 'Sum',
    Threshold: 0,
  });

/** What tells when the API as a whole is not well. */
export const apiAlarms = (service: string, actions: unknown[]) => ({
  AlarmServerErrors: alarm(`${service}: answers with 5xx`, actions, {
    ...ofTheApi,
    MetricName: '5xx',
    Statistic: 'Sum',
    Threshold: 5,
  }),
  AlarmSlow: alarm(`${service}: one answer in a hundred takes more than 2 seconds`, actions, {
    ...ofTheApi,
    MetricName: 'Latency',
    ExtendedStatistic: 'p99',
    Threshold: 2_000,
    EvaluationPeriods: 3,
  }),
});

/** Where alarms go: a topic with one address. */
export const alarmTopic = (email: string) => ({
  Type: 'AWS::SNS::Topic',
  Properties: { Subscription: [{ Protocol: 'email', Endpoint: email }] },
});

/**
 * How many of a function may run at once: all of them together may open four fifths of the connections that the cluster takes, and each
 * holds its pool and one connection that watches the server.
 */
export const concurrencyFor = (connectionLimit: number, poolSize: number, functions: number): number =>
  Math.floor((0.8 * connectionLimit) / (poolSize + 1) / functions);

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
