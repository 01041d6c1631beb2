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

/** The address of the WebSocket API, for clients or for functions that send to its connections. */
export const socketAddress = (scheme: 'wss' | 'https', stage: string) => ({
  'Fn::Sub': `${scheme}://\${WebsocketsApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/${stage}`,
});

/** The address of a service of AWS in the function's region, or another, in the domain of its partition: `amazonaws.com`, in China `amazonaws.com.cn`. */
export const serviceAddress = (service: string, region = `\${AWS::Region}`) => ({
  'Fn::Sub': `https://${service}.${region}.\${AWS::URLSuffix}`,
});
