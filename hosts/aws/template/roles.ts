import { queues } from './queues.ts';
import type { FileBucket } from './resources.ts';

/** A permission of a function, in addition to writing its log. */
export type Right =
  /** Read the connection string of the database. */
  | 'database'
  /** Invoke `push`, which notifies connected clients. */
  | 'notices'
  /** Queue rooms with new events. */
  | 'queue'
  /** Receive rooms from the queues. */
  | 'take-from-queue'
  /** Send to WebSockets and close them. */
  | 'sockets'
  /** Read the address of the mail server. */
  | 'mail'
  /** Read the key that encrypts second-factor secrets and the push notification key. */
  | 'secret-key'
  /** Read the service's client secrets for the identity providers. */
  | 'identity-providers'
  | 'put-files'
  | 'get-files'
  | 'delete-files';

/**
 * S3 actions of each right. Without `ListBucket`, S3 responds with 403 if an object does not exist.
 */
const fileActions: Partial<Record<Right, string[]>> = {
  'put-files': ['PutObject'],
  'get-files': ['GetObject', 'ListBucket'],
  'delete-files': ['DeleteObject', 'ListBucket'],
};

/** Names that the policy of a role contains. */
export type RoleContext = {
  /** `<service>-<stage>`, the prefix of all function names. */
  prefix: string;
  logGroup: string;
  /** The SSM parameters that the role may read. */
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
    // X-Ray does not support permissions per resource.
    ...(context.isTraced ? [allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], '*')] : []),
    ...(context.isInVpc ? joinVpc(context.prefix) : []),
  ]);

/** The role that the gateways use to invoke functions. It replaces a permission per function. */
export const gatewayRole = (prefix: string) => serviceRole('apigateway.amazonaws.com', [invoke(`${prefix}-*`)]);

/** A role for an AWS service. Service names are the same in every partition. */
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

/**
 * Lets Lambda manage a function's network interfaces with the function's role, but denies it to the
 * function's own code.
 */
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

/**
 * Allows reading one SecureString, encrypted with any key of the account. SSM passes the
 * parameter's name to KMS, which limits decryption to it.
 */
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
