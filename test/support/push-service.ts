import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { useConfig } from './config.ts';
import { pushServer } from './loopback-servers.ts';

/*
 * A push service (RFC 8030) for tests. It decrypts pushes (RFC 8188, 8291) and verifies their
 * sender (RFC 8292), with an independent implementation.
 */

/** A push that arrived at a device: the payload as JSON, and the headers. */
export type Push = { payload: Record<string, unknown>; headers: IncomingHttpHeaders };

/**
 * A subscribed device: its browser's subscription, the received pushes, and the responses of the
 * push service.
 */
export type Device = {
  endpoint: string;
  p256dh: string;
  auth: string;
  pushes: Push[];
  /** The number of requests. */
  asked: number;
  /** A status, perhaps with `Retry-After`; or no response. */
  answer: { status: number; retryAfter?: string; reason?: string } | 'none';
};

const devices = new Map<string, Device & { receive: (body: Buffer) => string }>();

const { server, origin } = pushServer;
server.on('request', (request, response) => void answer(request, response));

/** Lets the service of the test file send notifications to this push service. */
export const usePushService = (): void => useConfig({ PUSH_HOSTS: origin });

/** A device that has subscribed at this push service. */
export function aDevice(): Device {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys();
  const secret = randomBytes(16);
  const path = `/${randomBytes(12).toString('hex')}`;
  const device = {
    endpoint: `${origin}${path}`,
    p256dh: publicKey.toString('base64url'),
    auth: secret.toString('base64url'),
    pushes: [],
    asked: 0,
    answer: { status: 201 },
    receive: (body: Buffer) => decrypt(body, { ecdh, publicKey, secret }),
  };
  devices.set(path, device);
  return device;
}

/** The body of `PUT /api/push-subscription`. */
export const subscriptionOf = ({ endpoint, p256dh, auth }: Device, key: string) => ({ endpoint, p256dh, auth, key });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const device = devices.get(request.url ?? '');
  if (!device) return void response.writeHead(404).end();
  device.asked++;
  if (device.answer === 'none') return;
  try {
    checkSender(request.headers.authorization ?? '');
    const payload = JSON.parse(device.receive(body));
    if (device.answer.status === 201) device.pushes.push({ payload, headers: request.headers });
  } catch {
    return void response.writeHead(400).end();
  }
  const { status, retryAfter, reason } = device.answer;
  response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(reason);
}

type Keys = { ecdh: ReturnType<typeof createECDH>; publicKey: Buffer; secret: Buffer };

/**
 * The text of a body with one record, encrypted for a device: RFC 8188, section 2, with the key of
 * RFC 8291, section 3.4.
 */
export function decrypt(body: Buffer, { ecdh, publicKey, secret }: Keys): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]);
  const material = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), secret, info, 32));
  const key = Buffer.from(hkdfSync('sha256', material, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', material, salt, 'Content-Encoding: nonce\0', 12));
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = plain.lastIndexOf(2);
  if (plain.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('The padding is not one of a last record.');
  return plain.subarray(0, end).toString();
}

/**
 * Throws unless a request has a valid signature for this push service that has not expired: RFC
 * 8292, sections 2 and 3.
 */
function checkSender(authorization: string): void {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x as string, y: y as string } });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const left = exp - Date.now() / 1_000;
  if (!isSigned || aud !== origin || left <= 0 || left > 86_400 || !/^(mailto|https):/.test(sub))
    throw new Error('Not the sender.');
}
