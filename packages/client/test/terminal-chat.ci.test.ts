import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { serveUrl } from '../../../test/support/services.ts';
import { buildTerminalChat, type Terminal } from './terminal-chat.ts';

const baseUrl = await serveUrl();

let chat: Awaited<ReturnType<typeof buildTerminalChat>>;
beforeAll(async () => {
  chat = await buildTerminalChat();
});
afterAll(() => chat.remove());

const running: Terminal[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ end }) => end()));
});

function start(account: Pick<Account, 'token'>, room: string): Terminal {
  const terminal = chat.start(baseUrl, account, room);
  running.push(terminal);
  return terminal;
}

it('two people talk at two terminals', async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  await aRoom({ name: 'Lounge', owner: ann, members: [bob] });
  const [hers, his] = [start(ann, 'Lounge'), start({ token: '' }, 'Lounge')];
  his.type(bob.username);
  await expect.poll(() => his.lines().join()).toContain('Password: ');
  his.type(bob.password);
  await expect.poll(() => hers.lines()).toContain('* connected');
  await expect.poll(() => his.lines()).toContain('* connected');

  hers.type('Hello, how are you?');
  await expect.poll(() => his.lines()).toContain(`${ann.username}: Hello, how are you?`);
  his.type('Fine,');
  his.type('thanks.');
  const talk = [`${ann.username}: Hello, how are you?`, `${bob.username}: Fine,`, `${bob.username}: thanks.`];
  for (const { lines } of [hers, his])
    await expect.poll(() => lines().filter((line) => line.includes(': '))).toEqual(expect.arrayContaining(talk));
  expect(hers.lines()).toEqual(['* connected', ...talk]);
  expect(his.lines().join()).not.toContain(bob.password);
});

it('a terminal shows earlier messages, unread messages elsewhere, and other rooms', async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  await aRoom({ name: 'Garden', owner: ann, members: [bob] });
  await aRoom({ name: 'Kitchen', owner: ann, members: [bob] });
  const hers = start(ann, 'Kitchen');
  hers.type('Who is here?');
  hers.type('/room Garden');
  hers.type('What a day');
  await expect.poll(() => hers.lines()).toContain(`${ann.username}: What a day`);
  const his = start(bob, 'Kitchen');
  await expect.poll(() => his.lines()).toContain(`${ann.username}: Who is here?`);
  his.type('/rooms');
  await expect.poll(() => his.lines()).toContain('* Garden: 1 unread');
  his.type('/room Attic');
  await expect.poll(() => his.lines()).toContain('* you are not in such a room');
  his.type('/room Garden');
  await expect.poll(() => his.lines()).toContain(`${ann.username}: What a day`);
});
