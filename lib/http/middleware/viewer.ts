import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { permissionDenied } from '../../base/errors.ts';
import type { Step } from '../request.ts';

/**
 * Behind CloudFront, all requests come from its addresses, so this middleware uses the viewer's
 * address from CloudFront's header. Anyone could send that header, so the request must also have a
 * secret that only CloudFront sends. 403 for a request that bypasses CloudFront.
 */
export function viewer(secrets: readonly string[]): Step {
  const digests = secrets.map(digestOf);
  return {
    before: function readViewer({ event }) {
      const given = digestOf(event.headers['x-origin-verify'] ?? '');
      if (!digests.some((digest) => timingSafeEqual(digest, given)))
        throw permissionDenied('not_through_cloudfront', 'This address is only for CloudFront: use the address of the service.');
      const address = addressOf(event.headers['cloudfront-viewer-address'] ?? '');
      if (address === undefined)
        throw new Error("CloudFront does not send 'CloudFront-Viewer-Address': its origin request policy must include it.");
      event.requestContext.http.sourceIp = address;
    },
  };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/**
 * The address before the port, with or without brackets: `198.51.100.10:46532`,
 * `2001:db8::1:46532`, `[2001:db8::1]:46532`.
 */
function addressOf(header: string): string | undefined {
  const [, address = ''] = /^\[?([^\]]+)\]?:\d+$/.exec(header) ?? [];
  return isIP(address) ? address : undefined;
}
