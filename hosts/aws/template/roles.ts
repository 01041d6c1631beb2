import { queues } from './queues.ts';
import type { FileBucket } from './resources.ts';

/** What a function may do beside writing its log. */
export type Right =
  /** Read the connection string of the database. */
  | 'database'
  /** Invoke `push`, which notifies connected clients. */
  | 'notices'
  /** Queue rooms that have news. */
  | 'queue'
  /** Take rooms from the queues. */
  | 'take-from-queue'
  /** Send to WebSockets, and close them. */
  | 'sockets'
  /** Read the address of the mail server. */
  | 'mail'
  /** Read the key that encrypts the secrets of second factors and the key of push notifications. */
  | 'secret-key'
  /** Read the secrets of this service at the identity providers. */
  | 'identity-providers'
  | 'put-files'
  | 'get-files'
  | 'delete-files';

/** The actions on the bucket of each right. Without `ListBucket`, S3 answers 403 for an object that does not exist. */
const fileActions: Partial<Record<Right, string[]>> = {
  'put-files': ['PutObject'],
  'get-files': ['GetObject', 'ListBucket'],
  'delete-files': ['DeleteObject', 'ListBucket'],
};

/** The surroundings of a role: names that its policy contains. */
export type RoleContext = {
  /** `<service>-<stage>`, with which the names of all functions begin. */
  prefix: string;
  logGroup: string;
  /** The SSM parameters that the role's functions read. */
  parameters: string[];
  isTraced: boolean;
  isInVpc: boolean;
  bucket: FileBucket | undefined;
};

/** The role of all functions with the same rights. */
export const functionRole = (rights: readonly Right[], context: RoleContext) =>
  serviceRole('lambda.amazonaws.com', [
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], arn('logs', `log-group:${context.logGroup}:*`)),
    ...context.parameters.flatMap(readParameter),
    ...(rights.includes('notices') ? [invoke(`${context.prefix}-push`)] : []),
    ...(rights.includes('queue') ? [onQueues('sqs:SendMessage')] : []),
    ...(rights.includes('take-from-queue')
      ? [onQueues('sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes')]
      : []),
    ...(rights.includes('sockets')
      ? [allow(['execute-api:ManageConnections'], arn('execute-api', `\${WebsocketsApi}/*/@connections/*`))]
      : []),
    ...(context.bucket ? useFiles(context.bucket, rights) : []),
    // X-Ray has no resource-level permissions.
    ...(context.isTraced ? [allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], '*')] : []),
    ...(context.isInVpc ? joinVpc(context.prefix) : []),
  ]);

/** The role with which the gateways invoke the functions: one policy instead of a permission for each function. */
export const gatewayRole = (prefix: string) => serviceRole('apigateway.amazonaws.com', [invoke(`${prefix}-*`)]);

/** A role for a service of AWS, whose name is the same in every partition. */
const serviceRole = (service: string, Statement: unknown[]) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: [service] }, Action: ['sts:AssumeRole'] }],
    },
    Policies: [{ PolicyName: 'own', PolicyDocument: { Version: '2012-10-17', Statement } }],
  },
});

const allow = (Action: string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource: [Resource] });

const invoke = (functionName: string) => allow(['lambda:InvokeFunction'], arn('lambda', `function:${functionName}`));

const onQueues = (...Action: string[]) => ({
  Effect: 'Allow',
  Action,
  Resource: Object.values(queues).map(({ id }) => ({ 'Fn::GetAtt': [id, 'Arn'] })),
});

/** Lambda manages the network interfaces of a function with the function's role, whose code needs none of that. */
const joinVpc = (prefix: string) => {
  const Action = [
    'ec2:CreateNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:DeleteNetworkInterface',
    'ec2:AssignPrivateIpAddresses',
    'ec2:UnassignPrivateIpAddresses',
  ];
  const Condition = { ArnLike: { 'lambda:SourceFunctionArn': [arn('lambda', `function:${prefix}-*`)] } };
  return [allow(Action, '*'), { Effect: 'Deny', Action, Resource: ['*'], Condition }];
};

/** A SecureString, encrypted with any key of the account: SSM tells KMS for which parameter it decrypts. */
const readParameter = (parameter: string) => [
  allow(['ssm:GetParameter'], arn('ssm', `parameter${parameter}`)),
  {
    ...allow(['kms:Decrypt'], arn('kms', 'key/*')),
    Condition: {
      StringEquals: {
        'kms:ViaService': { 'Fn::Sub': `ssm.\${AWS::Region}.\${AWS::URLSuffix}` },
        'kms:EncryptionContext:PARAMETER_ARN': arn('ssm', `parameter${parameter}`),
      },
    },
  },
];

const useFiles = ({ name, prefix }: FileBucket, rights: readonly Right[]) => {
  const bucket = `arn:\${AWS::Partition}:s3:::${name}`;
  return rights
    .flatMap((right) => fileActions[right] ?? [])
    .map((action) => allow([`s3:${action}`], { 'Fn::Sub': action === 'ListBucket' ? bucket : `${bucket}/${prefix}*` }));
};

const arn = (service: string, resource: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`,
});
