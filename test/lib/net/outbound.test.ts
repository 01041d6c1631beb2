import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { get, isPublic, post } from '../../../lib/net/outbound.ts';

/** The resolved addresses of the tests' names, as from an attacker's name server. */
const addresses: Record<string, string[]> = {};
let lookups = 0;
let asked6: string[] = [];
const { Resolver } = dns.promises;
vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation((async (name: string) => {
  const found = addresses[name] ?? [];
  lookups++;
  asked6 = found.filter((address) => address.includes(':'));
  // The next look-up gets another answer.
  addresses[name] = addresses[`${name} later`] ?? found;
  return found.filter((address) => !address.includes(':'));
}) as never);
vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation((async () => asked6) as never);
afterAll(() => vi.restoreAllMocks());

/** A listener that outside requests must not reach. */
let heard = 0;
const inner = createListener((socket) => {
  heard++;
  socket.destroy();
}).listen(0, '127.0.0.1');
await once(inner, 'listening');
const { port } = inner.address() as AddressInfo;
afterAll(() => inner.close());

const body = Buffer.from('{}');
const send = (url: string, mayBeInner = false) => post(new URL(url), { headers: {}, body, mayBeInner });

const fetched = (url: string, mayBeInner = false) => get(new URL(url), { headers: {}, mayBeInner });

const innerAddresses = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.8.8.8',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

describe('a request to an address that a user has chosen', () => {
  it.each(innerAddresses)('a request of a user does not reach %s, by its number or by a name', async (address) => {
    expect(isPublic(address)).toBe(false);
    const host = address.includes(':') ? `[${address}]` : address;
    await expect(send(`https://${host}:${port}/`)).rejects.toThrow('not an address of the public internet');
    addresses['attacker.example'] = [address];
    await expect(send(`https://attacker.example:${port}/`)).rejects.toThrow('which is not public');
    // An additional public address does not help.
    addresses['attacker.example'] = ['9.9.9.9', address];
    await expect(send(`https://attacker.example:${port}/`)).rejects.toThrow('which is not public');
    await expect(fetched(`https://${host}:${port}/`)).rejects.toThrow('not an address of the public internet');
    await expect(fetched(`https://attacker.example:${port}/`)).rejects.toThrow('which is not public');
    expect(heard).toBe(0);
  });

  it.each(innerAddresses)('a request does not reach %s by a name that was of a public address before', async (address) => {
    addresses['rebound.example'] = ['9.9.9.9'];
    addresses['rebound.example later'] = [address];
    lookups = 0;
    // The connection goes to the checked address or nowhere. With this limit, there is not enough
    // time for it.
    const url = new URL(`https://rebound.example:${port}/`);
    await expect(post(url, { headers: {}, body, mayBeInner: false, longest: 0 })).rejects.toThrow();
    expect(lookups).toBe(1);
    await expect(send(url.href)).rejects.toThrow('which is not public');
    await expect(fetched(url.href)).rejects.toThrow('which is not public');
    expect(heard).toBe(0);
  });

  it.each(innerAddresses)('a request does not reach %s by a redirect', async (address) => {
    const host = address.includes(':') ? `[${address}]` : address;
    const server = createServer((_request, response) => {
      response.writeHead(307, { location: `http://${host}:${port}/` }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await send(`${origin}/`, true)).toMatchObject({ status: 307 });
    const { status, body: content } = await fetched(`${origin}/`, true);
    expect([status, (await buffer(content)).length]).toEqual([307, 0]);
    expect(heard).toBe(0);
    server.closeAllConnections();
    server.close();
  });

  it.each(['https://2130706433', 'https://0x7f.1', 'https://0177.0.0.1', 'https://127.1'])(
    'a request does not reach this machine by another spelling of its address: %s',
    async (origin) => {
      await expect(send(`${origin}:${port}/`)).rejects.toThrow('not an address of the public internet');
      expect(heard).toBe(0);
    },
  );

  it('a request to an address that a user has chosen is encrypted', async () => {
    addresses['plain.example'] = ['9.9.9.9'];
    await expect(send('http://plain.example/')).rejects.toThrow('not an address of the public internet');
    await expect(fetched('http://plain.example/')).rejects.toThrow('not an address of the public internet');
  });

  it.each(['1.1.1.1', '9.9.9.9', '142.250.1.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])('requests reach %s', (address) => {
    expect(isPublic(address)).toBe(true);
  });
});

describe('a request to an address that the operator has named', () => {
  it('a request to an address that the operator has named is sent there, follows no redirect, and tells when to try again', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(302, { location: '/elsewhere', 'retry-after': '7' }).end('x'.repeat(10_000));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await send(`${origin}/push`, true)).toMatchObject({ status: 302, retryAfter: 7 });
    const { status, retryAfter, body: content } = await fetched(`${origin}/file`, true);
    expect([status, retryAfter, (await buffer(content)).length]).toEqual([302, 7, 10_000]);
    expect(asked).toEqual(['POST /push', 'GET /file']);
    server.closeAllConnections();
    server.close();
  });

  it('a request to an address that the operator has named reads no endless answer', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(201);
      const more = () => !response.destroyed && response.write('x'.repeat(65_536), () => setImmediate(more));
      more();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { status, body: read } = await send(`${origin}/push`, true);
    expect(status).toBe(201);
    expect(read.length).toBeLessThanOrEqual(65_536);
    server.closeAllConnections();
    server.close();
  });

  it('a request to an address that the operator has named ends with an error if the bytes of a file take too long', async () => {
    const server = createServer((_request, response) => response.writeHead(200).write('x')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/file`);
    const { status, body: content } = await get(url, { headers: {}, mayBeInner: true, longest: 1_000 });
    expect(status).toBe(200);
    await expect(buffer(content)).rejects.toThrow('aborted');
    server.closeAllConnections();
    server.close();
  });

  it('a request to an address that the operator has named fails if nobody answers', async () => {
    await expect(send(`http://127.0.0.1:${port}/`, true)).rejects.toThrow();
    await expect(fetched(`http://127.0.0.1:${port}/`, true)).rejects.toThrow();
  });
});
