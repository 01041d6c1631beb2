import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { resolveName } from '../../../lib/net/names.ts';

/**
 * A name server on this machine. It knows these names and is silent for all others. A name with an
 * empty entry does not exist.
 */
const known: Record<string, { v4?: number[]; v6?: Buffer }> = {};
const asked: string[] = [];
const socket = createSocket('udp4');
socket.on('message', (query, { port, address }) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  const isV6 = query.readUInt16BE(at + 1) === 28;
  asked.push(name);
  const entry = known[name];
  if (!entry) return;
  const bytes = isV6 ? entry.v6 : entry.v4 && Buffer.from(entry.v4);
  const question = query.subarray(12, at + 5);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(Object.keys(entry).length === 0 ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(bytes ? 1 : 0, 6);
  const record = Buffer.from([0xc0, 12, 0, isV6 ? 28 : 1, 0, 1, 0, 0, 0, 60, 0, bytes?.length ?? 0]);
  socket.send(Buffer.concat([header, question, ...(bytes ? [record, bytes] : [])]), port, address);
});
socket.bind(0, '127.0.0.1');
await once(socket, 'listening');
const before = dns.getServers();
dns.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
afterAll(() => {
  dns.setServers(before);
  socket.close();
});
beforeEach(() => void asked.splice(0));

it('a name has the addresses of both families that its name server gives', async () => {
  known['both.example'] = { v4: [9, 9, 9, 9], v6: Buffer.from('26064700470000000000000000001111', 'hex') };
  known['old.example'] = { v4: [1, 1, 1, 1] };
  expect((await resolveName('both.example')).map(({ family }) => family)).toEqual([4, 6]);
  expect(await resolveName('old.example')).toEqual([{ address: '1.1.1.1', family: 4 }]);
});

it('a silent name server delays neither look-ups of other names nor the threads of the process', async () => {
  known['quick.example'] = { v4: [9, 9, 9, 9] };
  const order: string[] = [];
  const silent = Array.from({ length: 24 }, (_, at) =>
    resolveName(`silent-${at}.example`).then(
      () => order.push('found'),
      () => order.push('failed'),
    ),
  );
  await resolveName('quick.example').then(() => order.push('quick'));
  await dns.promises.lookup('localhost').then(() => order.push('thread'));
  expect(order).toEqual(['quick', 'thread']);
  await Promise.all(silent);
  expect(order.slice(2)).toEqual(Array(24).fill('failed'));
});

it('an account has two look-ups at a time, and delays none of another account', async () => {
  known['other.example'] = { v4: [9, 9, 9, 9] };
  const failures = Array.from({ length: 4 }, (_, at) =>
    resolveName(`mute-${at}.example`, 'ann').catch(({ message }) => message as string),
  );
  await resolveName('other.example', 'bob');
  await Promise.race(failures);
  expect(new Set(asked.filter((name) => name.startsWith('mute')))).toEqual(new Set(['mute-0.example', 'mute-1.example']));
  await Promise.all(failures);
});

it('a name that was not found is not asked for again within a minute', async () => {
  known['missing.example'] = {};
  await expect(resolveName('missing.example')).rejects.toThrow('ENOTFOUND');
  const before = asked.length;
  expect(before).toBeGreaterThan(0);
  await expect(resolveName('missing.example')).rejects.toThrow('ENOTFOUND');
  expect(asked).toHaveLength(before);
});
