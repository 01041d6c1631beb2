import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { countKills, kill } from '../../../test/support/kills.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { aService } from '../../../test/support/services.ts';
import { inProcess as call } from '../../../test/support/transports.ts';
import { commands } from '../../../tools/harness/service.ts';
import { say, signIn, textsOf, visit } from './support.ts';

/** How often the server is killed. */
const restarts = countKills('a server, while two people write');

/** For how long to wait for what comes after the longest pause between two attempts. */
const patience = { timeout: 120_000, interval: 250 };

it(`two people see the same messages as the history after the connection was cut repeatedly and the server was killed ${restarts} times`, {
  timeout: 60_000 + restarts * 60_000,
}, async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner: ann, members: [bob] });
  const start = () => aService({}, commands.serve);
  let service = await start();
  const proxy = await startProxy(new URL(service.url).host);
  const place = { path: `/rooms/${room.id}`, baseUrl: `http://localhost:${proxy.port}` };
  const [hers, his] = [await visit(place), await visit(place)];
  await signIn(hers.page, ann);
  await signIn(his.page, bob);

  const written: string[] = [];
  const write = async (page: Page, text: string) => {
    written.push(text);
    await page.locator('.room-pane .composer textarea').waitFor();
    await say(page, text);
    // It is stored in the browser from here on.
    await page.getByText(text, { exact: true }).first().waitFor();
  };
  const history = async () => {
    const { body } = await call('GET', `/api/messages?room=${room.id}&limit=200`, { token: ann.token });
    return body as { _id: { $oid: string }; text: string }[];
  };
  const texts = async () => (await history()).map(({ text }) => text);

  for (let turn = 1; turn <= restarts; turn++) {
    proxy.cut(0.3);
    await write(hers.page, `hers ${turn}, before`);
    await write(his.page, `his ${turn}, before`);
    const killed = kill(service);
    await Promise.all([write(hers.page, `hers ${turn}, meanwhile`), write(his.page, `his ${turn}, meanwhile`)]);
    await killed;
    // They have seen this message, and it changes while no server runs.
    const [first] = await history();
    if (first) {
      const path = `/api/messages/${first._id.$oid}`;
      const [whose, { token }] = first.text.startsWith('hers') ? ['hers', ann] : ['his', bob];
      const edited = `${whose}, edited after kill ${turn}`;
      await call('PATCH', path, { token, body: { text: edited } });
      written[written.indexOf(first.text)] = edited;
    }
    service = await start();
    proxy.aim(new URL(service.url).host);
  }
  proxy.cut(0);
  await expect.poll(async () => (await texts()).toSorted(), patience).toEqual(written.toSorted());
  const stored = await texts();
  await expect.poll(async () => [await textsOf(hers.page), hers.problems], patience).toEqual([stored, []]);
  await expect.poll(async () => [await textsOf(his.page), his.problems], patience).toEqual([stored, []]);
  // Each client has sent its messages in the order in which they were written.
  const later = (whose: string) => stored.filter((text) => text.startsWith(whose) && !text.includes('edited'));
  expect([later('hers'), later('his')]).toEqual(
    ['hers', 'his'].map((whose) => written.filter((text) => text.startsWith(whose) && !text.includes('edited'))),
  );
  expect([hers.problems, his.problems]).toEqual([[], []]);
  await Promise.all([hers.context.close(), his.context.close(), proxy.close(), service.stop()]);
});
