/** A bucket, as templates name it, and the prefix of its object names. */
export type FileBucket = { name: string; prefix: string };

/**
 * A private, encrypted bucket for files, over TLS only. It is kept when the stack is removed,
 * because it has the users' data. Pages of these origins may use signed URLs to upload and
 * download.
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

/** The address of the WebSocket API, for clients or for functions that send to connections. */
export const socketAddress = (scheme: 'wss' | 'https', stage: string) => ({
  'Fn::Sub': `${scheme}://\${WebsocketsApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/${stage}`,
});

/**
 * The address of an AWS service, in the function's region or another one. The domain depends on the
 * partition, e.g. `amazonaws.com.cn` in China.
 */
export const serviceAddress = (service: string, region = `\${AWS::Region}`) => ({
  'Fn::Sub': `https://${service}.${region}.\${AWS::URLSuffix}`,
});
