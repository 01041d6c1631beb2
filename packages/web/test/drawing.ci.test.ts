import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { addMember, aRoom, aRoomOf } from '../../../test/support/rooms.ts';
import { inProcess as call } from '../../../test/support/transports.ts';
import { signIn, type Visit, visit } from './support.ts';

let visited: Visit;
let page: Page;
let member: Account;
beforeAll(async () => {
  const owner = await anAccount();
  member = await anAccount();
  const room = await aRoom({ owner });
  await addMember(room, member);
  const topic = 'Read https://example.org/guide first';
  await call('PATCH', `${room.path}/details`, { token: owner.token, body: { topic } });
  const { _id } = await aMessage(owner, room.id, { text: 'typo' });
  await call('PATCH', `/api/messages/${_id.$oid}`, { token: owner.token, body: { text: 'corrected' } });
  const columns = Array.from({ length: 30 }, (_, at) => `Donaudampfschifffahrt${at}`);
  for (const text of [
    `first line\nשורה שנייה @${member.username}\n\nשלום\n\nhello`,
    '- one\n- שתיים',
    `|${columns.join('|')}|\n|${columns.map(() => '-').join('|')}|`,
    '|left|center|right||\n|:-|:-:|-:|-|\n|1|2|3|4|',
    'line\n'.repeat(1_400),
    'short\n'.repeat(8),
    `z${'\u0310'.repeat(200)}`,
    '```ts\nconst a = 1;\n```',
    'done :smile:',
    '|שם|מספר|\n|-|-|\n|one|1|',
  ])
    await aMessage(owner, room.id, { text });
  visited = await visit({ path: `/rooms/${room.id}` });
  ({ page } = visited);
  await signIn(page, member);
  await page.locator('li[data-seq="3"]').waitFor();
  await page.locator('li.message').nth(9).waitFor();
  // The mentioned person has written nothing here, so the page asks for the name.
  await page.locator('li.message .mention').waitFor();
});

/** Evaluates an expression for the message with a text; `element` is the message's element. */
const ask = async <T = unknown>(text: string, expression: string): Promise<T> => {
  const look = new Function('row', `const element = row.querySelector('.text'); return ${expression};`);
  return (await page
    .locator('li.message', { hasText: text })
    .first()
    .evaluate(look as () => unknown)) as T;
};

describe('a message as it is drawn', () => {
  it('a message is drawn with one direction for each paragraph and a mention that turns nothing around it', async () => {
    const directions = await ask('first line', "[...element.querySelectorAll('p')].map((p) => p.matches(':dir(rtl)'))");
    expect(directions).toEqual([false, true, false]);
    const lines = await ask('first line', "getComputedStyle(element.querySelector('p')).unicodeBidi");
    const mention = await ask('first line', "getComputedStyle(element.querySelector('.mention')).unicodeBidi");
    expect([lines, mention]).toEqual(['plaintext', 'isolate']);
    expect(await ask('one', "[...element.querySelectorAll('li')].map((li) => li.matches(':dir(rtl)'))")).toEqual([false, true]);
  });

  it('a message is drawn with a wide table that scrolls, can be reached by keyboard and breaks no word', async () => {
    const box = "element.querySelector('.table')";
    const table = await ask<{ width: number; seen: number; lines: number[] }>(
      'Donaudampfschifffahrt0',
      `({ width: ${box}.scrollWidth, seen: ${box}.clientWidth, lines: [...element.querySelectorAll('th')].map((th) => th.clientHeight) })`,
    );
    // Right of its message, by the arrow keys.
    await page.locator('li.message', { hasText: 'Donaudampfschifffahrt0' }).focus();
    for (let step = 0; step < 4 && !(await ask('Donaudampfschifffahrt0', `${box} === document.activeElement`)); step++)
      await page.keyboard.press('ArrowRight');
    expect(await ask('Donaudampfschifffahrt0', `${box} === document.activeElement`)).toBe(true);
    expect(table.width).toBeGreaterThan(table.seen);
    expect(Math.max(...table.lines)).toBeLessThan(40);
  });

  it('a message is drawn with the columns of a table in the direction of its head', async () => {
    const isTurned = "element.querySelector('table').matches(':dir(rtl)')";
    expect([await ask('מספר', isTurned), await ask('center', isTurned)]).toEqual([true, false]);
  });

  it('a message is drawn with cells aligned as its table says and no empty heading', async () => {
    const cells = "[...element.querySelectorAll('tbody td')].map((td) => getComputedStyle(td).textAlign)";
    expect(await ask('center', cells)).toEqual(['left', 'center', 'right', 'start']);
    expect(await ask('center', "element.querySelectorAll('th').length")).toBe(3);
  });

  it('a long message is drawn folded until it is asked for as a whole', async () => {
    const row = page
      .locator('li.message', { hasText: 'line\nline' })
      .or(page.locator('li.message', { hasText: 'lineline' }))
      .first();
    const height = async () => (await row.boundingBox())?.height ?? 0;
    await row.getByRole('button', { name: 'Show all' }).waitFor();
    expect(await height()).toBeLessThan(600);
    await row.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(height).toBeGreaterThan(10_000);
    expect(await page.locator('li.message', { hasText: 'short' }).getByRole('button', { name: 'Show all' }).count()).toBe(0);
  });

  it('a message is drawn within its own bounds, even if a letter has many combining marks', async () => {
    expect(await ask('z\u0310', 'getComputedStyle(element).overflowY')).toBe('clip');
  });

  it('a message is drawn with the language of its code, the emoji of a shortcode, and an edit mark on the line of its text', async () => {
    expect(await ask('const a', "element.querySelector('.language').textContent")).toBe('ts');
    await page.locator('li.message', { hasText: 'done 😄' }).waitFor();
    expect(await ask('corrected', "element.querySelector('p').textContent")).toBe('corrected (edited)');
  });

  it('a message is drawn under a topic whose links can be followed', async () => {
    expect(await page.locator('.topic a').getAttribute('href')).toBe('https://example.org/guide');
    expect(visited.problems).toEqual([]);
  });
});

describe('a block of code', () => {
  it('a block of code takes its colours without moving anything', async () => {
    const owner = await anAccount();
    const room = await aRoomOf([owner]);
    await aMessage(
      owner,
      room,
      { text: '```ts\nconst answer: number = 42; // of "course"\nfunction f() { return `x`; }\n```' },
      call,
    );
    const { page: own, context, problems } = await visit({ path: `/rooms/${room}` });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await own.route(/assets\/colours-/, async (route) => {
      await held;
      await route.continue();
    });
    await signIn(own, owner);
    const code = own.locator('.code code');
    await code.waitFor();
    // In whole pixels: letters that are divided are set a little closer or wider.
    const box = async () => Object.values((await code.boundingBox()) ?? {}).map(Math.round);
    const before = await box();
    letGo();
    await own.locator('.code .code-keyword').first().waitFor();
    expect(await code.textContent()).toBe('const answer: number = 42; // of "course"\nfunction f() { return `x`; }');
    expect(await box()).toEqual(before);
    expect(problems).toEqual([]);
    await context.close();
  });
});
