import { createChatClient, type Message, unwrap } from 'chat-service-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { aService } from '../../../test/support/services.ts';
import { commands, freePort } from '../../../tools/harness/service.ts';
import { buildTerminalChat } from '../../client/test/terminal-chat.ts';
import { say, signIn, textsOf, visit } from './support.ts';

let terminals: Awaited<ReturnType<typeof buildTerminalChat>>;
beforeAll(async () => {
  terminals = await buildTerminalChat();
});
afterAll(() => terminals.remove());

/** The minimum duration in minutes; EVERYWHERE_MINUTES sets more. */
const minutes = Number(process.env.EVERYWHERE_MINUTES ?? 0);

/**
 * A restart takes as long as the machine needs, and a refused client waits up to half a minute
 * until its next attempt.
 */
const patience = { timeout: 180_000, interval: 250 };

/** The number of messages on a page of history. The test compares the pages with it. */
const pageSize = 100;

it(
  'two browsers and two terminals show the same log while the service is restarted, frozen and slowed',
  async () => {
    const environment = { HTTP_PORT: await freePort() };
    let service = await aService(environment, commands.serve);
    const proxy = await startProxy(new URL(service.url).host);
    const baseUrl = `http://127.0.0.1:${proxy.port}`;
    const people = [await anAccount(), await anAccount(), await anAccount(), await anAccount()] as const;
    const name = `Everywhere ${people[0].username}`;
    const room = await aRoom({ name, owner: people[0], members: people.slice(1) });
    const path = `/rooms/${room.id}`;
    const visits = await Promise.all([visit({ path, baseUrl }), visit({ path, baseUrl })]);
    const pages = visits.map(({ page }) => page);
    const typed = people.slice(2).map((person) => terminals.start(baseUrl, person, name));
    const logOf = ({ lines }: (typeof typed)[number]) => lines().filter((line) => /^user-\S+: /.test(line));

    const said: string[] = [];
    const sayAll = async () => {
      const text = `message ${said.length / people.length}`;
      for (const page of pages) await say(page, text);
      for (const terminal of typed) terminal.type(text);
      said.push(...people.map(({ username }) => `${username}: ${text}`));
    };
    /** Everyone has all messages, and continues to work with the next ones. */
    const areAllThere = async () => {
      for (const terminal of typed) await expect.poll(() => logOf(terminal).length, patience).toBe(said.length);
      const last = said.at(-1)?.split(': ')[1];
      const shown = async (page: Page) => (await confirmed(page)).filter((text) => text === last).length;
      for (const page of pages) await expect.poll(() => shown(page), patience).toBe(people.length);
    };

    const trouble = [
      async () => {},
      async () => {
        await service.stop();
        await sayAll();
        service = await aService(environment, commands.serve);
      },
      async () => {
        service.signal('SIGSTOP');
        try {
          await sayAll();
          await new Promise((resolve) => setTimeout(resolve, minutes > 0 ? 15_000 : 2_000));
        } finally {
          service.signal('SIGCONT');
        }
      },
      async () => {
        service.signal('SIGKILL');
        await service.ended;
        service = await aService(environment, commands.serve);
      },
      async () => {
        proxy.set('slow');
        await sayAll();
        await sayAll();
        await new Promise((resolve) => setTimeout(resolve, minutes > 0 ? 15_000 : 2_000));
        // Requests on their way would arrive after later, faster ones.
        proxy.set('down');
        proxy.set('pass');
      },
    ];

    try {
      for (const [at, page] of pages.entries()) await signIn(page, people[at] as Account);
      for (const page of pages) await page.locator('.room-pane .composer textarea').waitFor();
      const end = Date.now() + minutes * 60_000;
      do {
        for (const happen of trouble) {
          await sayAll();
          await happen();
          await sayAll();
          await areAllThere();
        }
      } while (Date.now() < end);

      const log = await stored(createChatClient({ baseUrl, token: people[0].token }), room.id);
      const lines = log.map(({ username, text }) => `${username}: ${text}`);
      expect(lines.toSorted()).toEqual(said.toSorted());
      for (const terminal of typed) expect(logOf(terminal)).toEqual(lines);
      const last = log.slice(-pageSize).map(({ text }) => text);
      for (const page of pages) await expect.poll(async () => (await textsOf(page)).slice(-last.length), patience).toEqual(last);
      expect(visits.flatMap(({ problems }) => problems)).toEqual([]);
    } finally {
      await Promise.all([...visits.map(({ context }) => context.close()), ...typed.map((terminal) => terminal.end())]);
      await proxy.close();
      await service.stop();
    }
  },
  1_200_000 + minutes * 120_000,
);

/** The texts on a page that the service has confirmed, when none is on its way. */
async function confirmed(page: Page): Promise<string[]> {
  const waiting = await page.locator('.room-pane li.message.pending').count();
  return waiting > 0 ? [] : textsOf(page);
}

/** All messages of a room. */
async function stored(chat: ReturnType<typeof createChatClient>, room: string): Promise<Message[]> {
  const all: Message[] = [];
  for (let after = 0, isMore = true; isMore; after = all.at(-1)?.seq ?? 0) {
    const page = await unwrap(chat.GET('/api/messages', { params: { query: { room, after, limit: 200 } } }));
    all.push(...page);
    isMore = page.length > 0;
  }
  return all;
}
