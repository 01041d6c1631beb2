/**
 * The values of `X-Origin-Verify` that CloudFront may send; where there are none, requests come without CloudFront.
 * In the bundles for AWS, `hosts/aws/cloudfront-secrets.ts` takes the place of this module.
 */
export const cloudfrontSecrets: readonly string[] = [];
