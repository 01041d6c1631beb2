import type { Domain } from './deployment-settings.ts';

/** What the resources of a function depend on. */
export type DeployedFunction = {
  name: string;
  functionName: string;
  logicalId: string;
  /** The SSM parameters with the secrets that the function needs. */
  parameters: string[];
  isTraced: boolean;
  /** The function that it may invoke, to have those who are connected told. */
  invokes: string | undefined;
  /** Whether it sends to WebSockets, and ends them. */
  posts: boolean;
  isInVpc: boolean;
  /** What it may do with the files of people, and in which bucket. */
  files: { bucket: FileBucket; actions: string[] } | undefined;
};

/** A bucket with files, as templates name it, and what the names of the objects begin with. */
export type FileBucket = { name: string; prefix: string };

/**
 * A function's role: it may write its own log (and traces, if enabled), read the secrets, invoke `push` and send to WebSockets if it
 * needs that, and nothing else.
 */
export const roleOf = ({ functionName, parameters, isTraced, invokes, posts, isInVpc, files }: DeployedFunction) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      // Its name is the same in every partition.
      Statement: [{ Effect: 'Allow', Principal: { Service: ['lambda.amazonaws.com'] }, Action: ['sts:AssumeRole'] }],
    },
    Policies: [
      {
        PolicyName: 'own',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              Resource: [arn('logs', `log-group:/aws/lambda/${functionName}:*`)],
            },
            ...parameters.flatMap(mayRead),
            ...(invokes === undefined
              ? []
              : [{ Effect: 'Allow', Action: ['lambda:InvokeFunction'], Resource: [arn('lambda', `function:${invokes}`)] }]),
            ...(posts
              ? [
                  {
                    Effect: 'Allow',
                    Action: ['execute-api:ManageConnections'],
                    Resource: [arn('execute-api', `\${WebsocketsApi}/*/@connections/*`)],
                  },
                ]
              : []),
            ...(files ? mayUse(files.bucket, files.actions) : []),
            // X-Ray has no resource-level permissions.
            ...(isTraced
              ? [{ Effect: 'Allow', Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], Resource: ['*'] }]
              : []),
            ...(isInVpc ? mayJoinVpc(functionName) : []),
          ],
        },
      },
    ],
  },
});

/** Lambda manages the network interfaces of a function with the function's role, whose code needs none of that. */
const mayJoinVpc = (functionName: string) => {
  const Action = [
    'ec2:CreateNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:DeleteNetworkInterface',
    'ec2:AssignPrivateIpAddresses',
    'ec2:UnassignPrivateIpAddresses',
  ];
  const Condition = { ArnEquals: { 'lambda:SourceFunctionArn': [arn('lambda', `function:${functionName}`)] } };
  return [
    { Effect: 'Allow', Action, Resource: ['*'] },
    { Effect: 'Deny', Action, Resource: ['*'], Condition },
  ];
};

/** A SecureString, whichever key of the account it is encrypted with: SSM tells the key for which parameter it decrypts. */
const mayRead = (parameter: string) => [
  { Effect: 'Allow', Action: ['ssm:GetParameter'], Resource: [arn('ssm', `parameter${parameter}`)] },
  {
    Effect: 'Allow',
    Action: ['kms:Decrypt'],
    Resource: [arn('kms', 'key/*')],
    Condition: {
      StringEquals: {
        'kms:ViaService': { 'Fn::Sub': `ssm.\${AWS::Region}.\${AWS::URLSuffix}` },
        'kms:EncryptionContext:PARAMETER_ARN': arn('ssm', `parameter${parameter}`),
      },
    },
  },
];

const mayUse = ({ name, prefix }: FileBucket, actions: string[]) => {
  const bucket = `arn:\${AWS::Partition}:s3:::${name}`;
  return actions.map((action) => ({
    Effect: 'Allow',
    Action: [`s3:${action}`],
    Resource: [{ 'Fn::Sub': action === 'ListBucket' ? bucket : `${bucket}/${prefix}*` }],
  }));
};

/**
 * A bucket for files: private, encrypted, over TLS alone. It stays when the stack is removed, for what people have sent is not the stack's.
 * Pages of these origins send and read what the service has signed.
 */
export const fileBucket = (origins: unknown[]) => ({
  FilesBucket: {
    Type: 'AWS::S3::Bucket',
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      BucketEncryption: { ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }] },
      CorsConfiguration: {
        CorsRules: [
          {
            AllowedOrigins: origins,
            AllowedMethods: ['PUT', 'GET', 'HEAD'],
            AllowedHeaders: ['content-type', 'x-amz-checksum-sha256'],
            MaxAge: 3_600,
          },
        ],
      },
      LifecycleConfiguration: {
        Rules: [{ Id: 'unfinished', Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }],
      },
    },
  },
  FilesBucketPolicy: {
    Type: 'AWS::S3::BucketPolicy',
    Properties: {
      Bucket: { Ref: 'FilesBucket' },
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Deny',
            Principal: '*',
            Action: 's3:*',
            Resource: ['', '/*'].map((objects) => ({ 'Fn::Sub': `arn:\${AWS::Partition}:s3:::\${FilesBucket}${objects}` })),
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        ],
      },
    },
  },
});

const arn = (service: string, resource: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`,
});

/** By function, the routes that anyone can call and that compute the hash of a password, about a second of work each, or send an e-mail. */
export const throttledRoutes = { users: 'POST /api/users', sessions: 'POST /api/sessions', codes: 'POST /api/codes' };

/** How often such a route can be called, by all callers together: so often a second, and so often at the same moment. */
export const throttling = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10 };

/** Alarms when calls of a function are throttled because too many run concurrently. */
export const throttleAlarmOf = ({ functionName }: DeployedFunction, actions: unknown[]) =>
  alarm(`${functionName}: calls throttled, too many run concurrently`, actions, {
    Namespace: 'AWS/Lambda',
    MetricName: 'Throttles',
    Dimensions: [{ Name: 'FunctionName', Value: functionName }],
    Statistic: 'Sum',
    Threshold: 0,
  });

/** Alarms when files were not swept twice in a row, which nobody else would notice. */
export const sweepAlarmOf = ({ functionName }: DeployedFunction, actions: unknown[]) =>
  alarm(`${functionName}: files were not swept; what was deleted may still be stored`, actions, {
    Namespace: 'AWS/Lambda',
    MetricName: 'Errors',
    Dimensions: [{ Name: 'FunctionName', Value: functionName }],
    Statistic: 'Sum',
    Period: 10_800,
    Threshold: 1,
  });

/**
 * Alarms when pushes fail, or are given up in the queue before they have begun. That they are throttled is how a burst is taken: those that wait
 * run a little later.
 */
export const pushAlarms = ({ functionName, logicalId }: DeployedFunction, actions: unknown[]) =>
  Object.fromEntries(
    Object.entries({ Errors: 'pushes failed', AsyncEventsDropped: 'pushes dropped' }).map(([MetricName, what]) => [
      `${logicalId}Alarm${MetricName}`,
      alarm(`${functionName}: ${what}; an open page finds what it misses a few minutes later`, actions, {
        Namespace: 'AWS/Lambda',
        MetricName,
        Dimensions: [{ Name: 'FunctionName', Value: functionName }],
        Statistic: 'Sum',
        Threshold: 5,
      }),
    ]),
  );

/** The address of the WebSocket API, for clients or for functions that send to its connections. */
export const socketAddress = (scheme: 'wss' | 'https', stage: string) => ({
  'Fn::Sub': `${scheme}://\${WebsocketsApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/${stage}`,
});

/** The address of a service of AWS in the function's region, or another, in the domain of its partition: `amazonaws.com`, in China `amazonaws.com.cn`. */
export const serviceAddress = (service: string, region = `\${AWS::Region}`) => ({
  'Fn::Sub': `https://${service}.${region}.\${AWS::URLSuffix}`,
});

/** A domain that leads to a stage of an API, in a template whose names begin with `id`, and what its DNS record leads to. */
export const domainOf = (
  id: string,
  { name, certificate }: Domain,
  tags: Record<string, string>,
  api: string,
  stage: string,
) => ({
  resources: {
    [`${id}Domain`]: {
      Type: 'AWS::ApiGatewayV2::DomainName',
      Properties: {
        DomainName: name,
        DomainNameConfigurations: [{ CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' }],
        Tags: tags,
      },
    },
    [`${id}DomainMapping`]: {
      Type: 'AWS::ApiGatewayV2::ApiMapping',
      Properties: { ApiId: { Ref: api }, DomainName: { Ref: `${id}Domain` }, Stage: { Ref: stage } },
    },
  },
  outputs: {
    [`${id}DomainTarget`]: {
      Description: `What the DNS record of ${name} leads to`,
      Value: { 'Fn::GetAtt': [`${id}Domain`, 'RegionalDomainName'] },
    },
  },
});

const forAdministrators = [
  ...['audit', 'room-usage', 'settings', 'user-usage'],
  ...['overview', 'overview-files', 'overview-invitations', 'overview-rooms', 'overview-webhooks'],
];

/**
 * How many instances of a function may run concurrently at most: what pushes send shares the account's rate with every
 * request, one sweep is enough, few end their e-mails or change a bot's webhook, and administrators are few.
 */
export const mostInstances: Record<string, number> = {
  push: 3,
  sweep: 1,
  'email-digest': 1,
  'bot-webhook': 2,
  ...Object.fromEntries(forAdministrators.map((name) => [name, 2])),
};

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

/**
 * How many instances of each of these functions, which use the database, may run concurrently where `mostInstances` has
 * no other number: together they may open four fifths of the connections that the cluster allows, and each opens its
 * pool and one connection that monitors the server.
 */
export function concurrencyFor(connectionLimit: number, poolSize: number, functions: readonly string[]): number {
  const limited = functions.flatMap((name) => mostInstances[name] ?? []);
  const taken = limited.reduce((sum, count) => sum + count, 0);
  return Math.floor(((0.8 * connectionLimit) / (poolSize + 1) - taken) / (functions.length - limited.length));
}

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
