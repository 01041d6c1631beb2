import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { pushed } from '../../../lib/collections/delivery/pushed.ts';
import { tellOfRoom } from '../../../lib/notifications/tell.ts';
import { createRandom, testSeed } from '../../../packages/embedded-mongodb/test/support/random.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { countKills } from '../../support/kills.ts';
import { aMessage } from '../../support/messages.ts';
import { startProcesses } from '../../support/processes.ts';
import { aDevice, type Device, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';
import type { TellJob } from '../../support/workers/tell.ts';

usePushService();
useOwnDatabase();

/*
 * Processes are killed while they notify a device, some when the push has arrived and some at other
 * moments. The next process continues. The device handles pushes like its service worker.
 */

/** The number of processes that are killed on each host. */
const kills = countKills('a process that notifies, at a push or later');
/** The number of concurrent kills. A server would also notify the room of another. */
const atOnce = { serve: 1, aws: 3 };
const random = createRandom(testSeed);

async function subscribe({ token }: Account): Promise<Device> {
  const device = aDevice();
  const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
  await call('PUT', '/api/push-subscription', { token, body: subscriptionOf(device, key) });
  return device;
}

/**
 * Kills a process that sends a notification, and lets another one continue. Returns the number of
 * pushes that arrived.
 */
async function killed(host: TellJob['host'], number: number): Promise<number> {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const room = await aRoomOf([bob, ann]);
  const device = await subscribe(ann);
  // The server finds nothing to do before it starts.
  const processes = await startProcesses<TellJob, void>(1, 'tell', {});
  const { seq } = await aMessage(bob, room, { text: `@${ann.username}` });
  const working = processes.ask(0, { host, room }).catch(() => undefined);
  const until = performance.now() + 20_000;
  if (number % 2 === 0) while (device.asked === 0 && performance.now() < until) await sleep(1);
  else await sleep(random.below(1_000));
  processes.signal(0, 'SIGKILL');
  if (host === 'aws') await working;
  processes.end();
  const tellAgain = async () => {
    // Its lease has expired. The database may still have executed a command of it, which renewed
    // the lease.
    await pushed.updateOne({ _id: new ObjectId(room) }, { $set: { leased_until: new Date() } });
    return tellOfRoom(room);
  };
  await expect.poll(tellAgain).toBe('all');
  expect(await tellAgain()).toBe('all');
  const payloads = device.pushes.map(({ payload }) => payload);
  // At most twice. The second one is silent, because it is not newer than the one that is shown.
  expect(payloads.length).toBeGreaterThanOrEqual(1);
  expect(payloads.length).toBeLessThanOrEqual(2);
  for (const payload of payloads) expect(payload).toMatchObject({ room, seq, count: 1 });
  return payloads.length;
}

describe('a process that is killed while it tells', () => {
  it.each([['serve'], ['aws']] as const)(
    'a process (%s) that is killed while it tells devices loses no push, and a push that comes twice is the same',
    async (host) => {
      const came: number[] = [];
      for (let begun = 0; begun < kills; begun += atOnce[host]) {
        const some = Array.from({ length: Math.min(atOnce[host], kills - begun) }, (_, at) => killed(host, begun + at));
        came.push(...(await Promise.all(some)));
      }
      expect(came).toHaveLength(kills);
    },
    kills * 100_000,
  );
});
