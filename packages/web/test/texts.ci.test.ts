import { beforeAll, describe, expect, it } from 'vitest';
import { createUser } from '../../../lib/accounts/accounts.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { drawnOf, type Sample, texts } from '../../rules/test/texts.ts';
import { signIn, visit } from './support.ts';

/** As many as one room shows at once. */
const most = 250;
const samples = Object.values(texts).flat();
const parts = Array.from({ length: Math.ceil(samples.length / most) }, (_, at) => samples.slice(at * most, (at + 1) * most));

// The names that the texts mention. These people exist only in this test.
const named: Record<string, string> = {};
beforeAll(async () => {
  for (const username of ['ada', 'bob', 'bob.']) {
    const email = `${username.replace('.', '-dot')}@texts.example`;
    named[username] = (await createUser({ username, email, password: 'correct horse', is_admin: false }))._id.$oid;
  }
});

describe('the texts that the service and the page read', () => {
  it.each(parts.map((part, at) => ({ part, at })))(
    'the service and the page agree on the mentions, and the page draws everything that was sent: part $at of the texts',
    async ({ part }) => {
      // The burst of one account is limited.
      const people = await Promise.all(Array.from({ length: Math.ceil(part.length / 40) }, () => anAccount()));
      const others = Object.entries(named).map(([username, id]) => ({ id, username }) as Account);
      const room = await aRoomOf([...people, ...others]);
      const sent: Message[] = [];
      for (const [at, { text }] of part.entries())
        sent.push(await aMessage(people[Math.floor(at / 40)] as Account, room, { text }));
      const notified = sent.map(({ mentions }) => mentions.map(({ $oid }) => nameOf($oid)));
      expect(notified).toEqual(part.map(({ mentions = [] }) => mentions));

      const { page, problems, context } = await visit({ path: `/rooms/${room}` });
      await signIn(page, people.at(-1) as Account);
      await page.locator('li.message').first().waitFor();
      const count = () =>
        page.evaluate(`(document.querySelector('#messages').scrollTop = 0, document.querySelectorAll('li.message').length)`);
      await expect.poll(count, { timeout: 60_000 }).toBe(part.length);
      // Names, and the emoji of codes, are loaded after the messages.
      const shown = async () => ((await page.evaluate(read)) as ShownText[]).map((one, at) => ({ text: part[at]?.text, ...one }));
      await expect.poll(shown, { timeout: 20_000 }).toEqual(part.map(expectedOf));
      expect(problems).toEqual([]);
      await context.close();
    },
  );
});

const nameOf = (id: string) => Object.keys(named).find((username) => named[username] === id);

/**
 * The page's rendering of a message. Only letters and digits count, because signs may be bullets,
 * and codes may be emoji.
 */
type ShownText = { drawn: string; marked: string[]; links: string[] };

const expectedOf = (sample: Sample) => ({
  text: sample.text,
  drawn: wordsOf((isNumbered(sample.text) ? drawnOf(sample).replaceAll(/^\d+\. /gm, '') : drawnOf(sample)).replaceAll(codes, '')),
  marked: sample.mentions ?? [],
  links: sample.links ?? [],
});

const isNumbered = (text: string) => /^\s*[1-9]\d{0,2}[.)] /m.test(text);
const codes = /:(?:smile|tada|\+1):/g;
// Links are shown without what every address has: text.test.ts.
const beginnings = /https?:\/\/(?:www\.)?|www\./g;
const wordsOf = (text: string) => text.replaceAll(beginnings, '').replaceAll(/[^\p{L}\p{M}\p{N}]+|\ufe0f/gu, '');

const read = `(() => {
  return [...document.querySelectorAll('li.message .text')].map((element) => {
    const links = [...element.querySelectorAll('a')];
    const marked = [...element.querySelectorAll('.mention')].map((one) => one.textContent.slice(1).normalize('NFKC').toLowerCase());
    return {
      drawn: element.textContent.replaceAll(/${codes.source}|${beginnings.source}/g, '').replaceAll(/[^\\p{L}\\p{M}\\p{N}]+|\\ufe0f/gu, ''),
      marked: [...new Set(marked)],
      links: links.map(({ href }) => href),
    };
  });
})()`;
