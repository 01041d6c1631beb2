import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { viewer } from '../../../lib/http/middleware/viewer.ts';
import { blocksOf } from '../../support/document-blocks.ts';

const secrets = ['0123456789abcdef-old', '0123456789abcdef-new'];
const [old, secret] = secrets as [string, string];

describe('a service behind CloudFront', () => {
  it.each([
    ['198.51.100.10:46532', '198.51.100.10'],
    ['2001:db8::5b:46532', '2001:db8::5b'],
    ['[2001:db8::5b]:46532', '2001:db8::5b'],
  ])('a request through CloudFront comes from the viewer: %s', (header, source) => {
    expect(sourceOf({ 'x-origin-verify': secret, 'cloudfront-viewer-address': header })).toBe(source);
  });

  it('the secret of CloudFront that is being replaced is accepted as well', () => {
    expect(sourceOf({ 'x-origin-verify': old, 'cloudfront-viewer-address': '198.51.100.10:1' })).toBe('198.51.100.10');
  });

  it.each([[undefined], [''], ['0123456789abcdef'], [secrets.join(' ')]])('a request is refused with the secret %s', (wrong) => {
    const headers = {
      'cloudfront-viewer-address': '198.51.100.10:46532',
      ...(wrong !== undefined && { 'x-origin-verify': wrong }),
    };
    expect(() => sourceOf(headers)).toThrow(expect.objectContaining({ status: 403 }));
  });

  it.each([[undefined], ['198.51.100.10'], ['nonsense:1'], ['203.0.113.7, 198.51.100.10:46532']])(
    'a request fails when CloudFront does not tell its viewer: %s',
    (header) => {
      const headers = { 'x-origin-verify': secret, ...(header !== undefined && { 'cloudfront-viewer-address': header }) };
      expect(() => sourceOf(headers)).toThrow('its origin request policy must include it');
    },
  );
});

it('the documented distribution sends the secret and the address of the viewer, caches nothing, and gives errors CORS headers', () => {
  const block = blocksOf('docs/deploying.md').find(({ mark }) => mark === 'cloudfront');
  const { Resources } = load(block?.code ?? '') as { Resources: Record<string, { Properties: unknown }> };
  expect(Resources.WithViewerAddress?.Properties).toMatchObject({
    OriginRequestPolicyConfig: {
      HeadersConfig: { HeaderBehavior: 'allViewerAndWhitelistCloudFront', Headers: ['CloudFront-Viewer-Address'] },
    },
  });
  expect(Resources.Distribution?.Properties).toMatchObject({
    DistributionConfig: {
      Origins: [{ OriginCustomHeaders: [{ HeaderName: 'X-Origin-Verify', HeaderValue: { Ref: 'Secret' } }] }],
      DefaultCacheBehavior: {
        // The managed policy CachingDisabled.
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: { Ref: 'WithViewerAddress' },
        ResponseHeadersPolicyId: { Ref: 'WithCors' },
      },
    },
  });
  // It adds headers that the gateway's own errors lack, and does not change the service's
  // responses.
  expect(Resources.WithCors?.Properties).toMatchObject({
    ResponseHeadersPolicyConfig: { CorsConfig: { AccessControlAllowCredentials: false, OriginOverride: false } },
  });
});

/** The source of a request that an edge of CloudFront forwarded to the gateway. */
function sourceOf(headers: Record<string, string>): string {
  const event = { headers, requestContext: { http: { sourceIp: '130.176.0.1' } } };
  viewer(secrets).before?.({ event } as never);
  return event.requestContext.http.sourceIp;
}
