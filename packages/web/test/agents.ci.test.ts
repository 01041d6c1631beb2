import { expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { aService } from '../../../test/support/services.ts';
import { inProcess as call } from '../../../test/support/transports.ts';
import { visit } from './support.ts';

it('the settings connect an agent, whose messages show its name', async () => {
  const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
  const room = await aRoomOf([ann, bob]);
  const { page, context, problems } = await visit({ path: '/settings/tokens', as: ann });
  await page.getByRole('button', { name: 'Connect an agent' }).click();
  await page.getByLabel('Name of the agent').fill('Claude Code');
  await page.locator('#field-proof').fill(ann.password);
  await page.getByRole('button', { name: 'Connect an agent' }).click();
  await page.locator('.made summary', { hasText: 'Claude Code' }).click();
  const command = (await page.locator('.made code').first().textContent()) ?? '';
  expect(command).toMatch(
    /^claude mcp add --transport http chat http\S+\/api\/mcp --header "Authorization: Bearer [a-z0-9]{32}"$/,
  );
  const token = /Bearer (\w+)/.exec(command)?.[1];
  const { body } = await call('GET', '/api/tokens', { token: ann.token });
  expect(body).toContainEqual(
    expect.objectContaining({
      name: 'Claude Code',
      is_agent: true,
      scopes: ['members:read', 'messages:read', 'messages:write'],
      expires_at: { $date: expect.any(String) },
    }),
  );
  expect((await call('POST', '/api/messages', { token, body: { room, text: 'by an agent' } })).status).toBe(201);
  expect((await call('POST', '/api/messages', { token: ann.token, body: { room, text: 'by hand' } })).status).toBe(201);
  expect(problems).toEqual([]);
  await context.close();

  const reader = await visit({ path: `/rooms/${room}`, as: bob });
  const row = reader.page.locator('li.message', { hasText: 'by an agent' });
  await expect.poll(() => row.locator('.via').textContent()).toBe('via Claude Code');
  // A message by hand begins a group of its own, without the name of the agent.
  const byHand = reader.page.locator('li.message', { hasText: 'by hand' });
  expect(await byHand.locator('.author').count()).toBe(1);
  expect(await byHand.locator('.via').count()).toBe(0);
  await reader.context.close();
});

it.each([
  ['off', false],
  ['read', true],
])('with MCP=%s, the settings offer to connect an agent: %s', async (MCP, isOffered) => {
  const ann = await anAccount();
  const service = await aService({ MCP });
  try {
    const { page, context } = await visit({ path: '/settings/tokens', as: ann, baseUrl: service.url });
    await page.getByRole('button', { name: 'Create token' }).waitFor();
    const connect = page.getByRole('button', { name: 'Connect an agent' });
    expect(await connect.count()).toBe(isOffered ? 1 : 0);
    if (isOffered) {
      await connect.click();
      // An agent that can only read needs no right to write.
      const choices = page.locator('section', { hasText: 'Connect an agent' }).locator('.check');
      const offered = (await choices.allTextContents()).map((text) => text.trim());
      expect(offered).toEqual(['members:read', 'messages:read', 'rooms:read']);
    }
    await context.close();
  } finally {
    await service.stop();
  }
});
