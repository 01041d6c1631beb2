import type { Domain } from './deployment-settings.ts';

/** A bucket with files, as templates name it, and what the names of the objects begin with. */
export type FileBucket = { name: string; prefix: string };

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

/** By function, the routes that anyone can call and that compute the hash of a password, about a second of work each, or send an e-mail. */
export const throttledRoutes = { users: 'POST /api/users', sessions: 'POST /api/sessions', codes: 'POST /api/codes' };

/** How often such a route can be called, by all callers together: so often a second, and so often at the same moment. */
export const throttling = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10 };

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
