import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, aName, anAccount, anAdmin } from '../../../test/support/accounts.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { goWithin } from '../../../tools/harness/browser.ts';
import { objections } from './axe.ts';
import { call, type Visit, type VisitSettings, visit } from './support.ts';

const phone = { width: 390, height: 844, options: { hasTouch: true } };

/**
 * Opens the audit log as an administrator. It has two entries: a promoted account and a renamed
 * room.
 */
async function atTrail(settings: VisitSettings = {}, roomName = 'Team'): Promise<Visit & LogSubjects> {
  const [admin, person] = [await anAdmin(), await anAccount()];
  const room = await aRoomOf([await anAccount()], { name: roomName });
  const change = (path: string, body: object) => call('PATCH', path, { token: admin.token, body });
  expect((await change(`/api/users/${person.id}`, { is_admin: true })).status).toBe(200);
  expect((await change(`/api/rooms/${room}`, { is_open: true })).status).toBe(200);
  const visited = await visit({ path: '/admin/audit', ...settings, as: admin });
  await goWithin(visited.page, '/admin/audit');
  await visited.page.locator('.audit-entry').first().waitFor();
  return { ...visited, admin, person };
}

type LogSubjects = { admin: Account; person: Account };

const heads = (page: Page) => page.locator('.audit-entry strong').allInnerTexts();

/** Shows what the administrator has done, and nothing else. */
async function narrowTo(page: Page, { username }: Account): Promise<void> {
  await page.getByLabel('Who', { exact: true }).fill(username);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
}

async function download(page: Page, label: string): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: label }).click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

describe('the audit log in the page', () => {
  it.each([
    ['on a desk, light', { options: { colorScheme: 'light' as const, reducedMotion: 'reduce' as const } }],
    [
      'on a phone, dark',
      { ...phone, options: { ...phone.options, colorScheme: 'dark' as const, reducedMotion: 'reduce' as const } },
    ],
    ['on a phone, in Arabic', { ...phone, options: { ...phone.options, locale: 'ar', reducedMotion: 'reduce' as const } }],
  ])('the audit log in the page passes axe-core and fits its width %s', async (_look, settings) => {
    const { page, context, problems } = await atTrail(settings);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/audit-${_look.replaceAll(/\W+/g, '-')}.png` });
    expect([await objections(page), problems]).toEqual([[], []]);
    await context.close();
  });

  it('the page shows each entry of the audit log with its actor, action and target, newest first', async () => {
    const { page, context, problems, admin, person } = await atTrail();
    await narrowTo(page, admin);
    await expect.poll(() => heads(page)).toEqual(['Room changed', 'Made administrator']);
    const entry = page.locator('.audit-entry', { hasText: 'Made administrator' });
    expect(await entry.locator('dd').allInnerTexts()).toEqual([admin.username, person.username]);
    expect(await entry.locator('time').getAttribute('datetime')).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the audit log in the page is narrowed by person, action and day, by the names in it, and widened again', async () => {
    const { page, context, admin, person } = await atTrail();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await narrowTo(page, admin);
    await page.getByLabel('Action', { exact: true }).selectOption('Made administrator');
    await press('Show');
    await expect.poll(() => heads(page)).toEqual(['Made administrator']);

    await page.getByLabel('From', { exact: true }).fill('2000-01-01');
    await page.getByLabel('To', { exact: true }).fill('2000-12-31');
    await press('Show');
    await page.getByText('No matches.').waitFor();
    const today = await page.evaluate<string>("new Date().toLocaleDateString('sv')");
    await page.getByLabel('From', { exact: true }).fill(today);
    await page.getByLabel('To', { exact: true }).fill(today);
    await press('Show');
    await expect.poll(() => heads(page)).toEqual(['Made administrator']);

    await press('Show everything');
    await expect.poll(() => page.locator('.audit-entry').count()).toBeGreaterThan(1);
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Who');
    await page.locator('.audit-entry').getByRole('button', { name: person.username }).first().click();
    await expect.poll(() => heads(page)).toEqual(['Made administrator']);
    expect(await page.locator('input[name=whom]').inputValue()).toBe(person.username);

    // The keyboard alone takes the person out again.
    await page.getByLabel('Affects').press('Backspace');
    await page.getByLabel('Affects').fill(aName());
    await page.keyboard.press('Escape');
    await press('Show');
    await page.getByText('No matches.').waitFor();
    await context.close();
  });

  it('the audit log in the page is read page by page', async () => {
    const [admin, person] = [await anAdmin(), await anAccount()];
    for (let count = 0; count < 26; count++)
      for (const is_admin of [true, false])
        await call('PATCH', `/api/users/${person.id}`, { token: admin.token, body: { is_admin } });
    // The newest entry is by somebody else, so the first page differs once it is narrowed.
    await call('PATCH', `/api/users/${person.id}`, { token: (await anAdmin()).token, body: { is_admin: true } });
    const { page, context } = await visit({ path: '/admin/audit', as: admin });
    await goWithin(page, '/admin/audit');
    await narrowTo(page, admin);
    const rows = page.locator('.audit-entry');
    await expect
      .poll(async () => [await rows.count(), await page.locator('.audit-entry', { hasText: admin.username }).count()])
      .toEqual([50, 50]);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBe(52);
    await context.close();
  });

  it('the audit log in the page is exported as JSON lines, like the command does, or as a table without formulas', async () => {
    const name = '=HYPERLINK("https://evil.example.org";"Team")';
    const { page, context, admin, problems } = await atTrail({}, name);
    await narrowTo(page, admin);
    await expect.poll(() => heads(page)).toEqual(['Room changed', 'Made administrator']);
    const lines = await download(page, 'Download as JSON lines');
    const { body } = await call('GET', `/api/audit?actor=${admin.id}`, { token: admin.token });
    expect(lines.name).toMatch(/^audit-\d{4}-\d\d-\d\d\.jsonl$/);
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(body);

    const { text } = await download(page, 'Download as CSV');
    const rows = text.trimEnd().split('\r\n');
    expect(rows[0]).toMatch(/^"seq","at","actor_kind","actor_id","actor_name","action",/);
    expect(rows.length).toBe(3);
    expect(rows[1]).toContain(`,"'=HYPERLINK(""https://evil.example.org"";""Team"")",`);
    expect(text).not.toMatch(/(^|,)"\s*[=+\-@]/m);
    expect(problems).toEqual([]);
    await context.close();
  });
});
