import { expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { offlineUrl } from '../../../test/support/services.ts';
import { overHttp } from '../../../test/support/transports.ts';
import { signIn, textsOf, visit } from './support.ts';

it('events are pushed to the page even where WebSockets have an address of their own, as under npm start and on AWS', async () => {
  const baseUrl = await offlineUrl();
  const [ann, bob] = [await anAccount(), await anAccount()];
  const room = await aRoomOf([ann, bob]);
  const { page, context, problems } = await visit({ path: `/rooms/${room}`, baseUrl });
  const frames: string[] = [];
  const hosts: string[] = [];
  page.on('websocket', (socket) => {
    hosts.push(new URL(socket.url()).host);
    socket.on('framereceived', ({ payload }) => frames.push(String(payload)));
  });
  await signIn(page, ann);
  await expect.poll(() => frames.some((frame) => frame.includes('"lifetime":7200'))).toBe(true);
  await aMessage(bob, room, { text: 'Pushed' }, overHttp(baseUrl));
  await expect.poll(() => frames.some((frame) => frame.includes('"Pushed"'))).toBe(true);
  await expect.poll(() => textsOf(page)).toEqual(['Pushed']);
  expect({ problems, isElsewhere: !hosts.includes(new URL(baseUrl).host) }).toEqual({ problems: [], isElsewhere: true });
  await context.close();
});
