import { afterAll, beforeAll, expect, it } from 'vitest';
import { useOwnDatabase } from '../../../test/support/config.ts';
import { aService } from '../../../test/support/services.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { openPage, say, signIn, visit } from './support.ts';

useOwnDatabase();

let service: Service;
beforeAll(async () => {
  // Any of several processes may be asked.
  service = await aService({}, [...commands.serve, '--workers', '2']);
});
afterAll(() => service.stop());

it('the link that a new service prints creates the first administrator, and a visitor without it sees the command', async () => {
  const link = /https:\/\/chat\.example\.org(\/setup#[a-z0-9]{32})\n/.exec(service.output())?.[1] ?? '';
  const stranger = await visit({ path: '/', baseUrl: service.url });
  await stranger.page.getByText('Without a code').click();
  await stranger.page.getByText('admin -- user create').waitFor();
  await stranger.page.getByLabel('One-time code').fill('a guess');
  await fillAccount(stranger.page, 'eve');
  await stranger.page.getByRole('button', { name: 'Create account' }).click();
  await stranger.page.getByText('This code has expired or is incomplete.').waitFor();

  const { page, problems, context } = await visit({ path: link, baseUrl: service.url });
  await fillAccount(page, 'ann');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'General', exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe('');

  await page.getByRole('button', { name: 'Invite people' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy invite link' }).click();
  const invitation = new URL(await page.getByLabel('Invitation link').inputValue());
  await page.keyboard.press('Escape');
  const guest = await visit({ path: `${invitation.pathname}${invitation.hash}`, baseUrl: service.url });
  await fillAccount(guest.page, 'bob');
  await guest.page.getByRole('button', { name: 'Create account' }).click();
  await guest.page.getByRole('heading', { name: 'General', exact: true }).waitFor();
  await say(guest.page, 'Hello, Ann!');
  await page.locator('.room-pane li.message', { hasText: 'Hello, Ann!' }).waitFor();
  await guest.context.close();
  await page.getByRole('link', { name: 'All rooms' }).first().click();
  await page.getByRole('button', { name: 'New room' }).first().waitFor();

  // A visitor who comes too late signs in.
  await stranger.page.getByLabel('One-time code').fill(`https://chat.example.org${link}`);
  await stranger.page.getByRole('button', { name: 'Create account' }).click();
  await stranger.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const late = await openPage(stranger.context, `${service.url}${link}`);
  await signIn(late.page, { username: 'ann', password: 'correct horse' });
  await late.page.getByRole('heading', { name: 'General', exact: true }).waitFor();
  expect([...problems, ...stranger.problems, ...late.problems]).toEqual([]);
  await Promise.all([context.close(), stranger.context.close()]);
});

it('the link that a new service prints leads to the same form if the page cannot ask for administrators', async () => {
  const { page, context } = await visit({ path: '/', baseUrl: service.url });
  await page.route('**/api/setup', (asked) => asked.abort());
  await page.goto(`${service.url}/setup#${'a'.repeat(32)}`);
  await page.getByRole('heading', { name: 'Welcome to Chat' }).waitFor();
  await page.goto(service.url);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await context.close();
});

const fillAccount = async (page: Awaited<ReturnType<typeof visit>>['page'], name: string) => {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('E-mail address').fill(`${name}@example.org`);
  await page.getByLabel('Password').fill('correct horse');
};
