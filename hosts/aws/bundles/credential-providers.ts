/**
 * Replaces the package `@aws-sdk/credential-providers` in the bundles. For
 * `authMechanism=MONGODB-AWS`, the driver only needs the credentials of the function's role. Lambda
 * passes them as environment variables, and they outlive the function.
 */
export const fromNodeProviderChain = () => async () => ({
  accessKeyId: process.env.AWS_ACCESS_KEY_ID,
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
  sessionToken: process.env.AWS_SESSION_TOKEN,
});
