import { readFile } from 'node:fs/promises';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { addPasskey } from '../../../test/support/authenticator.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { anyDate, anyId } from '../../../test/support/responses.ts';
import { aRoom, memberId, succeed } from '../../../test/support/rooms.ts';
import { interceptRequests } from '../../../tools/harness/browser.ts';
import { call, visit } from './support.ts';

type Line = Record<string, Record<string, unknown>>;

async function download(page: Page): Promise<{ name: string; lines: Line[] }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download my data' }).click(),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
  return { name: file.suggestedFilename(), lines: lines.map((line) => JSON.parse(line)) };
}

const of = (lines: Line[], kind: string) => lines.flatMap((line) => (line[kind] ? [line[kind]] : []));

/** Somebody at the settings of the account. */
async function atSettings(me: Account) {
  const visited = await visit({ path: '/settings/profile', as: me });
  await visited.page.getByRole('button', { name: 'Download my data' }).waitFor();
  return visited;
}

describe('the data of an account', () => {
  it('the data of an account is one file with the account, its rooms, its messages and its saved messages, and no data of others', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const [plans, left] = [
      await aRoom({ owner: other, members: [me], name: 'Plans' }),
      await aRoom({ owner: other, members: [me] }),
    ];
    const first = await aMessage(me, plans.id, { text: 'first' }, call);
    const theirs = await aMessage(other, plans.id, { text: 'theirs' }, call);
    await aMessage(other, plans.id, { text: 'not saved' }, call);
    await aMessage(me, plans.id, { text: 'a reply', thread: first._id.$oid }, call);
    const gone = await aMessage(me, plans.id, { text: 'gone' }, call);
    await succeed(call('DELETE', `/api/messages/${gone._id.$oid}`, { token: me.token }));
    await succeed(call('PUT', `/api/messages/${theirs._id.$oid}/save`, { token: me.token, body: {} }));
    await succeed(call('DELETE', `/api/members/${await memberId(left, me)}`, { token: me.token }));
    await addPasskey(call, me);
    const { page, context, problems } = await atSettings(me);
    const { name, lines } = await download(page);
    expect(name).toMatch(new RegExp(`^chat-${me.username}-\\d{4}-\\d\\d-\\d\\d\\.ndjson$`));
    expect(Object.keys(lines[0] ?? {})).toEqual(['export']);
    expect(of(lines, 'account')).toMatchObject([{ username: me.username, email: me.email }]);
    expect(of(lines, 'passkey')).toEqual([
      { _id: anyId, name: 'Passkey', is_backed_up: true, created_at: anyDate, last_used_at: null },
    ]);
    expect(of(lines, 'room')).toMatchObject([{ membership: { room_name: 'Plans' }, details: { room: { $oid: plans.id } } }]);
    expect(of(lines, 'message').map(({ text }) => text)).toEqual(['first', 'a reply']);
    expect(of(lines, 'saved')).toMatchObject([{ message: { text: 'theirs' } }]);
    expect(lines.at(-1)).toEqual({ end: { export: 1, account: 1, passkey: 1, room: 1, message: 2, file: 0, saved: 1 } });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the data of an account has each of ten thousand messages once, and the download starts again after a moment without the service', async () => {
    const me = await anAccount();
    const room = await aRoom({ owner: me, name: 'Long' });
    const { _id } = await aMessage(me, room.id, { text: 'message 1' }, call);
    const { _id: id, idempotency_key, ...like } = (await messages.findOne({ _id: new ObjectId(_id.$oid) })) ?? ({} as never);
    const many = Array.from({ length: 9_999 }, (_, at) => ({
      ...like,
      _id: new ObjectId(),
      seq: at + 2,
      text: `message ${at + 2}`,
    }));
    await messages.unscoped.insertMany(many);
    const { page, context, problems } = await atSettings(me);
    let asked = 0;
    await page.route('**/api/messages?*', (route) =>
      ++asked === 3 ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    );
    const { lines } = await download(page);
    const texts = of(lines, 'message').map(({ text }) => text);
    expect([texts.length, new Set(texts).size, problems]).toEqual([10_000, 10_000, []]);
    await context.close();
  });

  it('the data of an account is collected no further when the user cancels, and can be requested again', async () => {
    const me = await anAccount();
    await aRoom({ owner: me, name: 'Plans' });
    const { page, context, problems } = await atSettings(me);
    const end = await interceptRequests(page, '**/api/messages?*', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('button', { name: 'Download my data' }).click();
    await page.getByText('0 of 1 room, 0 messages').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Download my data' }).waitFor();
    end();
    expect((await download(page)).lines.at(-1)).toMatchObject({ end: { room: 1 } });
    expect(problems).toEqual([]);
    await context.close();
  });
});
