import type { FileBucket } from './resources.ts';

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

const arn = (service: string, resource: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`,
});
