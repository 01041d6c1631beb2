/**
 * All that the driver needs of the package `@aws-sdk/credential-providers` for `authMechanism=MONGODB-AWS`, whose place this takes in the bundles:
 * Lambda gives a function the credentials of its role as variables, which are good for longer than it runs.
 */
export const fromNodeProviderChain = () => async () => ({
  accessKeyId: process.env.AWS_ACCESS_KEY_ID,
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
  sessionToken: process.env.AWS_SESSION_TOKEN,
});
