import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../../lib/messages/messages.ts';
import { aName, anAccount, anAdmin } from '../../../test/support/accounts.ts';
import { aBot } from '../../../test/support/bots.ts';
import { addMember, aRoom, succeed } from '../../../test/support/rooms.ts';
import { aService } from '../../../test/support/services.ts';
import { type Call, overHttp } from '../../../test/support/transports.ts';
import { type Answer, aReceiver } from '../../../test/support/webhook-receiver.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { objections } from './axe.ts';
import { textsOf, visit } from './support.ts';

let service: Service;
let call: Call;
beforeAll(async () => {
  service = await aService({ BOT_CREATION: 'users' }, commands.serve);
  call = overHttp(service.url);
});
afterAll(() => service.stop());

/** A member of a room whose bot has a command, with the caret in the message field. */
async function writing(answer: Answer, { width = 1_280, isTouch = false } = {}) {
  const room = await aRoom({ name: 'Deploys' });
  const bot = await aBot(room.owner, { name: 'Deployer' });
  await addMember(room, bot);
  await aRoom({ name: 'Elsewhere', owner: room.owner });
  const [receiver, name] = [aReceiver(), `deploy-${aName().slice(-6)}`];
  receiver.answer = () => answer;
  const body = { url: receiver.url, description: 'Deploys the page', usage: '<environment>' };
  await succeed(call('PUT', `${bot.path}/commands/${name}`, { token: bot.token, body }));
  const options = isTouch ? { hasTouch: true, isMobile: true } : {};
  const { page, context, problems } = await visit({
    baseUrl: service.url,
    path: `/rooms/${room.id}`,
    width,
    options,
    as: room.owner,
  });
  await page.locator('.room-pane .beginning').waitFor();
  const field = page.locator('.room-pane .composer textarea');
  const stored = async () =>
    ((await call('GET', `/api/messages?room=${room.id}`, { token: room.owner.token })).body as Message[]).map(({ text }) => text);
  const go = async (label: string) => {
    await page.getByRole('navigation').getByRole('link', { name: label }).click();
    await page.locator('.room-pane .beginning').waitFor();
    await page.locator('.room-pane .composer').getByLabel(label).waitFor();
  };
  const leave = () => go('Elsewhere');
  const comeBack = () => go('Deploys');
  return { room, bot, receiver, name, page, context, problems, field, stored, leave, comeBack };
}

const nothing: Answer = { status: 204 };
const answerIn = (page: Page) => page.getByRole('region', { name: 'Answer from Deployer' });

describe('a slash command in the composer', () => {
  it('a slash command is completed from its first letters, called, and answered for all by the bot, by the keyboard alone', async () => {
    const { page, context, problems, field, name, receiver, stored } = await writing({
      status: 200,
      body: { text: 'Deploying **production**', visible_to: 'room' },
    });
    await field.focus();
    await page.keyboard.type(`/${name.slice(0, 9)}`);
    const option = page.getByRole('option', { name: `${name} <environment> – Deploys the page (Deployer)` });
    await option.waitFor();
    expect(await objections(page)).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe(`/${name} `);
    await page.keyboard.type('production');
    await page.keyboard.press('Enter');
    await expect.poll(() => textsOf(page)).toEqual(['Deploying production']);
    expect(await page.locator('li.message .meta').textContent()).toMatch(/^Deployer bot/);
    expect(await stored()).toEqual(['Deploying **production**']);
    expect(JSON.parse(receiver.asked[0]?.body ?? '')).toMatchObject({ command: name, text: 'production' });
    expect(await answerIn(page).count()).toBe(0);
    await page.reload();
    await page.locator('li.message').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a private answer to a slash command is shown to the caller only, until it is dismissed', async () => {
    const { page, context, problems, field, name, stored } = await writing({
      status: 200,
      body: { text: 'Two are **waiting**' },
    });
    await field.fill(`/${name}`);
    await field.press('Escape');
    await field.press('Enter');
    await answerIn(page).getByText('Two are waiting').waitFor();
    await answerIn(page).getByText('Deployer answers. Only you can see this.').waitFor();
    expect(await objections(page)).toEqual([]);
    expect(await stored()).toEqual([]);
    await page.getByRole('button', { name: 'Dismiss the answer' }).click();
    await expect.poll(() => answerIn(page).count()).toBe(0);
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a slash command stays in the field when the bot does not answer, and is said to have failed', async () => {
    const { page, context, field, name, stored } = await writing({ status: 500 });
    await field.fill(`/${name} production`);
    await field.press('Enter');
    await page.getByRole('alert').getByText('Deployer could not answer. Try again later.').waitFor();
    expect(await field.inputValue()).toBe(`/${name} production`);
    expect(await stored()).toEqual([]);
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe(`/${name} production`);
    await context.close();
  });

  it('a failed slash command keeps its id when it is tried again, because the bot may have run it', async () => {
    const { context, field, name, receiver } = await writing({ status: 500 });
    for (const times of [1, 2]) {
      await field.fill(`/${name} production`);
      await field.press('Enter');
      await expect.poll(() => receiver.asked.length).toBe(times);
      await expect.poll(() => field.inputValue()).toBe(`/${name} production`);
    }
    const [first, second] = receiver.asked;
    expect(second?.id).toBe(first?.id);
    await context.close();
  });

  it('a slash command is removed from the field if it succeeds while the user is in another room', async () => {
    const { page, context, field, name, receiver, problems, stored, leave, comeBack } = await writing(nothing);
    const answered = Promise.withResolvers<Answer>();
    receiver.answer = () => answered.promise;
    await field.fill(`/${name} production`);
    await field.press('Enter');
    await expect.poll(() => receiver.asked.length).toBe(1);
    await leave();
    await comeBack();
    expect(await field.inputValue()).toBe(`/${name} production`);
    answered.resolve({ status: 200, body: { text: 'Deployed', visible_to: 'room' } });
    await expect.poll(() => textsOf(page)).toEqual(['Deployed']);
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await stored()).toEqual(['Deployed']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each([
    ['is told of', '', []],
    ['is told of, and keeps its text before what was typed after it', 'see you', ['see you']],
  ])('a slash command that failed while the user was in another room %s', async (_what, typed, more) => {
    const { page, context, field, name, receiver, problems, leave, comeBack } = await writing(nothing);
    const answered = Promise.withResolvers<Answer>();
    receiver.answer = () => answered.promise;
    await field.fill(`/${name} production`);
    await field.press('Enter');
    await expect.poll(() => receiver.asked.length).toBe(1);
    if (typed !== '') await field.fill(typed);
    await leave();
    answered.resolve({ status: 500 });
    await page.locator('.toast', { hasText: 'Deployer could not answer. Try again later.' }).waitFor();
    await comeBack();
    await expect.poll(() => field.inputValue()).toBe([`/${name} production`, ...more].join('\n'));
    // The browser itself logs the refusal.
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
    await context.close();
  });

  it('a slash command that no bot has is sent as a message only if the user says so; a path is sent as it is', async () => {
    const { page, context, field, stored } = await writing({ status: 204 });
    await field.fill('/depoly now');
    await field.press('Enter');
    await page.getByText('No bot in this room has the command /depoly. Send it as a message?').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => field.inputValue()).toBe('/depoly now');
    expect(await stored()).toEqual([]);
    await field.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Send as a message' }).click();
    await expect.poll(stored).toEqual(['/depoly now']);
    for (const path of ['/etc/hosts is empty', '/', '//', 'see /etc']) {
      await field.fill(path);
      await field.press('Control+Enter');
    }
    await expect.poll(stored).toEqual(['/depoly now', '/etc/hosts is empty', '/', '//', 'see /etc']);
    await context.close();
  });

  it('a slash command works on a phone', async () => {
    const { page, context, field, name } = await writing(
      { status: 200, body: { text: `A long answer: ${'word '.repeat(400)}` } },
      { width: 390, isTouch: true },
    );
    await field.fill(`/${name.slice(0, 8)}`);
    await page.getByRole('option').tap();
    await expect.poll(() => field.inputValue()).toBe(`/${name} `);
    await page.getByRole('button', { name: 'Send', exact: true }).tap();
    await answerIn(page).getByText('A long answer').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await objections(page)).toEqual([]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/answer-phone.png` });
    await page.getByRole('button', { name: 'Dismiss the answer' }).tap();
    await expect.poll(() => answerIn(page).count()).toBe(0);
    await context.close();
  });
});

describe('the bots in the settings', () => {
  it('an owner creates a bot, gets its tokens once and removes it, by keyboard only', async () => {
    const owner = await anAccount();
    const { page, context, problems } = await visit({ baseUrl: service.url, path: '/settings/bots', as: owner });
    await page.getByText('No bots yet.').waitFor();
    const username = aName();
    await page.getByLabel('Username of the new bot').focus();
    await page.keyboard.type(username);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Deployer');
    await page.keyboard.press('Enter');
    await page.getByText('Tokens, commands and webhook of Deployer').focus();
    await page.keyboard.press('Enter');
    await page.getByText('No tokens yet.').waitFor();
    await page.getByText('No commands.').waitFor();
    expect(await objections(page)).toEqual([]);
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('CI');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    await page.keyboard.type(owner.password);
    await page.keyboard.press('Enter');
    const token = await page.getByLabel('Token', { exact: true }).inputValue();
    const me = await call('GET', '/api/users/me', { token });
    expect(me).toMatchObject({ status: 200, body: { username, is_bot: true } });
    const { body: bot } = me as { body: { _id: { $oid: string } } };
    const registered = { url: 'https://bot.example.org/', description: 'Deploys the page' };
    await succeed(
      call('PUT', `/api/bots/${bot._id.$oid}/commands/${username.slice(0, 20)}`, { token: owner.token, body: registered }),
    );
    await page.reload();
    await page.getByText('Tokens, commands and webhook of Deployer').click();
    await page.getByText('bot.example.org').waitFor();
    expect(await page.getByLabel('Token', { exact: true }).count()).toBe(0);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/bots.png`, fullPage: true });
    await page.getByRole('button', { name: `Remove /${username.slice(0, 20)}` }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.getByText('No commands.').waitFor();
    await page.getByRole('button', { name: 'Revoke CI' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No tokens yet.').waitFor();
    expect((await call('GET', '/api/users/me', { token })).status).toBe(401);
    await page.getByRole('button', { name: 'Delete Deployer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete Deployer' }).click();
    await page.getByText('No bots yet.').waitFor();
    // The browser reports that the token needed a proof.
    expect(problems.filter((problem) => !/403/.test(problem))).toEqual([]);
    await context.close();
  });

  it('an owner tests the webhook of a bot, renews its secret and revokes it', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner, { name: 'Listener' });
    const receiver = aReceiver();
    const { page, context, problems } = await visit({ baseUrl: service.url, path: '/settings/bots', as: owner });
    await page.getByText('Tokens, commands and webhook of Listener').click();
    await page.getByLabel('Address of the program').fill(receiver.url);
    await page.keyboard.press('Enter');
    const secret = page.getByLabel('Signing secret, for the program to verify requests');
    expect(await secret.inputValue()).toMatch(/^whsec_/);
    await page.getByText(`sends to ${new URL(receiver.url).host}`).waitFor();
    await page.getByText('Nothing was sent yet.').waitFor();
    expect(await objections(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('webhook.test').waitFor();
    expect(receiver.taken).toHaveLength(1);
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByText('The old secret stays valid for 24 hours.').waitFor();
    await expect.poll(() => secret.count()).toBe(2);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/bot-webhook.png`, fullPage: true });
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Switched off since').waitFor();
    expect((await call('GET', `${bot.path}/webhook`, { token: owner.token })).body).toMatchObject({
      disabled_at: { $date: expect.any(String) },
    });
    expect(await page.getByLabel('Username of the new owner').count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke the webhook' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('Address of the program').waitFor();
    expect((await call('GET', `${bot.path}/webhook`, { token: owner.token })).status).toBe(404);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the webhook of a bot sends the chosen events, and sends an event again on request', async () => {
    const room = await aRoom({ name: 'Builds' });
    const bot = await aBot(room.owner, { name: 'Listener' });
    await addMember(room, bot);
    const receiver = aReceiver();
    const { page, context, problems } = await visit({ baseUrl: service.url, path: '/settings/bots', width: 390, as: room.owner });
    await page.getByText('Tokens, commands and webhook of Listener').click();
    await page.getByLabel('Address of the program').fill(receiver.url);
    await page.getByLabel('Reactions').check();
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByText('Nothing was sent yet.').waitFor();
    const read = async () => (await call('GET', `${bot.path}/webhook`, { token: room.owner.token })).body;
    expect(await read()).toMatchObject({
      events: ['message.created', 'reaction.added', 'reaction.removed'],
      messages: 'addressed',
    });
    await page.getByLabel('Reactions').uncheck();
    await page.getByLabel('All messages of its rooms').check();
    await page.getByRole('button', { name: 'Save events' }).click();
    await expect.poll(read).toMatchObject({ events: ['message.created'], messages: 'all' });
    await succeed(call('POST', '/api/messages', { token: room.owner.token, body: { room: room.id, text: 'to all' } }));
    await expect.poll(read).toMatchObject({ deliveries: [{ status: 204 }] });
    await page.reload();
    await page.getByText('Tokens, commands and webhook of Listener').click();
    await page.getByText('message.created').waitFor();
    expect(await page.getByLabel('All messages of its rooms').isChecked()).toBe(true);
    expect(await page.getByLabel('Reactions').isChecked()).toBe(false);
    expect(await objections(page)).toEqual([]);
    await page.getByRole('listitem').getByRole('link', { name: 'Builds' }).waitFor();
    const again = page.getByRole('button', { name: 'Send again from here, message.created, ' });
    const dialog = page.getByRole('dialog');
    const said = page.getByRole('log').getByText('Sending again.');
    await again.click();
    await dialog.getByText('Send everything since').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await again.click();
    await dialog.getByRole('button', { name: 'Send again from here' }).click();
    await said.waitFor();
    await expect.poll(() => receiver.taken.map(({ id }) => id)).toEqual([receiver.taken[0]?.id, receiver.taken[0]?.id]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/bot-webhook-phone.png`, fullPage: true });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('bots have a webhook that is not said to send again while it is off, and nothing of a room that the bot has left', async () => {
    const room = await aRoom({ name: 'Builds' });
    const bot = await aBot(room.owner, { name: 'Listener' });
    const member = await addMember(room, bot);
    const receiver = aReceiver();
    const { token } = room.owner;
    const path = `${bot.path}/webhook`;
    await succeed(call('PUT', path, { token, body: { url: receiver.url, messages: 'all' } }));
    await succeed(call('POST', '/api/messages', { token, body: { room: room.id, text: 'to all' } }));
    const read = async () => (await call('GET', path, { token })).body;
    await expect.poll(read).toMatchObject({ deliveries: [{ status: 204 }] });
    const { page, context } = await visit({ baseUrl: service.url, path: '/settings/bots', as: room.owner });
    await page.getByText('Tokens, commands and webhook of Listener').click();
    const again = page.getByRole('button', { name: 'Send again from here, ' });
    const log = page.getByRole('log');
    const agree = async () => {
      await again.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send again from here' }).click();
    };
    await again.waitFor();
    // The page does not know of it yet.
    await succeed(call('PATCH', path, { token, body: { is_enabled: false } }));
    await agree();
    await page.getByText('Switched off since').waitFor();
    expect(await again.count()).toBe(0);
    expect(await log.getByText('Sending again.').count()).toBe(0);
    await page.getByRole('button', { name: 'Switch on' }).click();
    await again.first().waitFor();
    await page.reload();
    await page.getByText('Tokens, commands and webhook of Listener').click();
    await succeed(call('DELETE', `/api/members/${member}`, { token }));
    await again.first().waitFor();
    await again.first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again from here' }).click();
    await log.getByText('The bot has left this room, so nothing is sent again.').waitFor();
    expect(await log.getByText('Sending again.').count()).toBe(0);
    await context.close();
  });

  it('the page keeps the events of a bot’s webhook that a program chose, and refuses to choose none', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner, { name: 'Listener' });
    const { token } = owner;
    const url = aReceiver().url;
    await succeed(call('PUT', `${bot.path}/webhook`, { token, body: { url, events: ['message.edited', 'member.joined'] } }));
    const read = async () => (await call('GET', `${bot.path}/webhook`, { token })).body;
    const { page, context, problems } = await visit({ baseUrl: service.url, path: '/settings/bots', as: owner });
    await page.getByText('Tokens, commands and webhook of Listener').click();
    const save = () => page.getByRole('button', { name: 'Save events' }).click();
    await page.getByLabel('Pinned messages').check();
    await save();
    await expect.poll(read).toMatchObject({
      events: ['message.edited', 'message.pinned', 'message.unpinned', 'member.joined'],
      messages: 'addressed',
    });
    // When the page has read the stored webhook, it draws the form again, which would clear earlier
    // ticks.
    await page.reload();
    await page.getByText('Tokens, commands and webhook of Listener').click();
    await page.getByLabel('Pinned messages').waitFor();
    for (const label of ['Edited and deleted messages', 'Pinned messages', 'Members who join']) {
      expect(await page.getByLabel(label).isChecked()).toBe(true);
      await page.getByLabel(label).uncheck();
    }
    await save();
    await page.getByRole('alert').getByText('Choose at least one event.').waitFor();
    expect(await read()).toMatchObject({ events: ['message.edited', 'message.pinned', 'message.unpinned', 'member.joined'] });
    await page.getByLabel('Edited and deleted messages').check();
    await save();
    await expect.poll(read).toMatchObject({ events: ['message.edited'] });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('administrators give a bot to another owner, after a question, and its tokens end', async () => {
    const [admin, owner, heir] = [await anAdmin(), await anAccount(), await anAccount()];
    const bot = await aBot(owner, { name: `Gift of ${owner.username}` });
    const { page, context, problems } = await visit({ baseUrl: service.url, path: '/settings/bots', as: admin });
    await page.getByText(`webhook of Gift of ${owner.username}`).click();
    const field = page.getByLabel('Username of the new owner');
    await field.fill(aName());
    await page.getByRole('button', { name: 'Transfer the bot' }).click();
    await page.getByRole('alert').getByText('Nobody is called').waitFor();
    await field.fill(`@${heir.username}`);
    await page.getByRole('button', { name: 'Transfer the bot' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`to ${heir.username}?`).waitFor();
    await dialog.getByRole('button', { name: 'Transfer the bot' }).click();
    await page.getByText('No tokens yet.').waitFor();
    expect((await call('GET', bot.path, { token: heir.token })).body).toMatchObject({ owner: { $oid: heir.id } });
    expect((await call('GET', bot.path, { token: owner.token })).status).toBe(404);
    expect((await call('GET', '/api/users/me', { token: bot.token })).status).toBe(401);
    await field.fill('');
    await page.getByRole('button', { name: 'Transfer the bot' }).click();
    await dialog.getByText('to the administrators?').waitFor();
    await dialog.getByRole('button', { name: 'Transfer the bot' }).click();
    await expect.poll(async () => (await call('GET', bot.path, { token: admin.token })).body).toMatchObject({ owner: null });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('administrators see the bots of everyone, on a phone as well', async () => {
    const [admin, owner] = [await anAdmin(), await anAccount()];
    const bot = await aBot(owner, { name: `Bot of ${owner.username}` });
    const { page, context } = await visit({ baseUrl: service.url, path: '/settings/bots', width: 390, as: admin });
    await page.getByText(`@${bot.username}`, { exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/bots-phone.png` });
    await context.close();
  });
});

describe('a bot in a room', () => {
  it('a bot in a room is marked in the list of members and in suggestions, and its card leads to a conversation', async () => {
    const { page, context, field, bot } = await writing({ status: 204 });
    await page.goto(`${page.url()}?panel=members`);
    const row = page.locator('li.member', { hasText: 'Deployer' });
    await row.getByText('bot', { exact: true }).waitFor();
    await field.fill(`@${bot.username.slice(0, 12)}`);
    await page.getByRole('option', { name: 'Deployer (bot)' }).waitFor();
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/members.png` });
    await field.press('Escape');
    await row.getByRole('button', { name: 'Deployer' }).first().click();
    await page.getByRole('dialog').getByText('bot', { exact: true }).waitFor();
    expect(await objections(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Message' }).click();
    await page.locator('.room-pane .beginning').waitFor();
    await context.close();
  });
});
