import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { users } from '../../../lib/collections/accounts/users.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { aName, anAccount, anAdmin } from '../../../test/support/accounts.ts';
import { addMember, aRoom, memberId, succeed } from '../../../test/support/rooms.ts';
import { interceptRequests } from '../../../tools/harness/browser.ts';
import { call, serveUrl, signIn, visit } from './support.ts';

/** How many members the large room has. */
const many = 1_000;

/** A room with many members; their names begin with the word that is returned. */
async function aLargeRoom() {
  const room = await aRoom({ name: 'Everyone' });
  const word = `crowd-${aName().slice(-6)}`;
  const people = Array.from({ length: many - 1 }, (_, at) => ({
    _id: new ObjectId(),
    username: `${word}-${String(at).padStart(4, '0')}`,
  }));
  const rest = { password_hash: '', is_admin: false, is_active: true, created_at: new Date(), session_generation: 0 };
  await users.unscoped.insertMany(
    people.map(({ _id, username }) => ({
      _id,
      username,
      email: `${username}@example.org`,
      email_key: `${username}@example.org`,
      ...rest,
    })),
  );
  const members = people.map(({ _id }) => ({ _id: new ObjectId(), user: _id, role: 'member' as const, joined_at: new Date() }));
  await rooms.updateOne({ _id: new ObjectId(room.id) }, { $push: { members: { $each: members } } });
  return { ...room, word };
}

/** Scrolls to the last member that is drawn; returns how many are. */
async function scrollToLast(page: Page): Promise<number> {
  await page.evaluate("document.querySelector('.members')?.lastElementChild.scrollIntoView()");
  return page.locator('.members li.member').count();
}

/**
 * Has what comes into view and goes out of it reported several times at once, as a busy browser
 * does.
 */
const reportLate = `
  IntersectionObserver = class extends IntersectionObserver {
    constructor(report) {
      const seen = [];
      super((entries) => seen.push(...entries) && setTimeout(() => seen.length > 0 && report(seen.splice(0)), 300));
    }
  };`;

const watchShifts = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
  }).observe({ type: 'layout-shift' });`;

describe('the members of a large room', () => {
  it('the members of a large room are loaded and drawn a few at a time, to the last, and are found by their names', async () => {
    const { id, owner, word } = await aLargeRoom();
    const { page, context, problems } = await visit({ path: `/rooms/${id}`, as: owner });
    await page.locator('.room-pane .beginning').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/api/members?room') && asked.push(request.url()));
    await page.locator('.room-pane').getByRole('link', { name: 'Members' }).click();
    const rows = page.locator('.members li.member');
    await rows.nth(30).waitFor();
    await page.waitForTimeout(1_000);
    expect([(await rows.count()) < 200, asked.length]).toEqual([true, 1]);
    await page.getByRole('searchbox', { name: 'Find a member' }).fill(`${word}-0123`);
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Find a member' }).fill('');
    await rows.nth(30).waitFor();
    await page.evaluate(watchShifts);
    await expect.poll(() => scrollToLast(page), { timeout: 60_000 }).toBe(many);
    // Rows stay where they came into view.
    expect(await page.evaluate('window.shift')).toBeLessThan(0.01);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the members of a large room are loaded to the last although one answer gets lost, in a browser that reports late what came into view', async () => {
    const { id, owner } = await aLargeRoom();
    const { page, context } = await visit({ path: `/rooms/${id}?panel=members` });
    await page.evaluate(reportLate);
    await interceptRequests(page, /api\/members\?room=.*after=/, (route) => route.abort(), 1);
    await signIn(page, owner);
    await expect.poll(() => scrollToLast(page), { timeout: 60_000 }).toBe(many);
    await context.close();
  });

  it('names of members of a large room are completed after @ by a search, without loading all members', async () => {
    const { id, owner, word } = await aLargeRoom();
    const { page, context } = await visit({ path: `/rooms/${id}`, as: owner });
    await page.locator('.room-pane .beginning').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/api/members?room') && asked.push(new URL(request.url()).search));
    await page.locator('.room-pane textarea').fill('hello ');
    await page.locator('.room-pane textarea').pressSequentially('@');
    await page.getByRole('option').first().waitFor();
    await page.locator('.room-pane textarea').pressSequentially(`${word}-0042`);
    await page.getByRole('option', { name: `${word}-0042` }).waitFor();
    expect(asked.filter((search) => !search.includes('q='))).toHaveLength(1);
    await context.close();
  });
});

describe('the only owner of a room', () => {
  it('the only owner of a room is asked to name another owner, and may leave after that', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner, members: [other] });
    const { page, context } = await visit({ path: `/rooms/${id}?panel=details`, as: owner });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Leave this room' }).click();
    await dialog.getByRole('heading', { name: 'You are the only owner of this room' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const { body } = await call('GET', `/api/members?room=${id}`, { token: owner.token });
    const second = (body as { _id: { $oid: string }; username: string }[]).find(({ username }) => username === other.username);
    await call('PATCH', `/api/members/${second?._id.$oid}`, { token: owner.token, body: { role: 'owner' } });
    await page.getByRole('button', { name: 'Leave this room' }).click();
    await dialog.getByRole('button', { name: 'Leave this room' }).click();
    await page.getByRole('heading', { name: 'Chat' }).or(page.locator('.home')).first().waitFor();
    expect((await call('GET', `/api/members?room=${id}`, { token: other.token })).body).toHaveLength(1);
    await context.close();
  });

  it('the only owner of a room without other members leaves like anybody else', async () => {
    const { owner, id } = await aRoom();
    const { page, context } = await visit({ path: `/rooms/${id}?panel=details`, as: owner });
    await page.getByRole('button', { name: 'Leave this room' }).click();
    await page.getByRole('dialog', { name: 'Leave this room?' }).waitFor();
    await context.close();
  });
});

describe('the time for which a room keeps its messages', () => {
  it('an owner chooses how long a room keeps its messages, after a question, and all members see it', async () => {
    const [owner, member] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner, members: [member] });
    const path = `/rooms/${id}?panel=settings`;
    const { page, problems, context } = await visit({ path, as: owner });
    const field = page.getByLabel('Delete messages after … days');
    const save = page.locator('.side').getByRole('button', { name: 'Save' });
    await field.fill('7');
    await save.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Delete messages for good 7 days after they were sent?').waitFor();
    // The harmless answer has the focus.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const kept = async () => (await call('GET', `/api/rooms/${id}/details`, { token: owner.token })).body;
    expect(await kept()).toMatchObject({ retention_days: null });
    await save.click();
    await dialog.getByRole('button', { name: 'Delete old messages' }).click();
    await expect.poll(kept).toMatchObject({ retention_days: 7 });
    await page.locator('.about-tabs').getByRole('link', { name: 'About' }).click();
    await page.getByText('Messages here are deleted for good 7 days after they were sent.').waitFor();
    await page.goBack();
    // Keeping them longer takes nothing from anybody.
    await field.fill('');
    await save.click();
    await expect.poll(kept).toMatchObject({ retention_days: null });
    await call('PATCH', `/api/rooms/${id}/details`, { token: owner.token, body: { retention_days: 30 } });
    expect(problems).toEqual([]);
    await context.close();

    const other = await visit({ path, as: member });
    // The settings are for owners and administrators: the member sees what the room is.
    await other.page.getByText('Messages here are deleted for good 30 days after they were sent.').waitFor();
    expect(await other.page.getByLabel('Delete messages after').count()).toBe(0);
    await other.context.close();
  });
});

it('the number of members in the header follows people who join and leave', async () => {
  const [owner, member] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner });
  const { page, problems, context } = await visit({ path: `/rooms/${room.id}`, as: owner });
  const count = (number: number) => page.getByRole('link', { name: `Members: ${number}`, exact: true }).waitFor();
  await count(1);
  await addMember(room, member, 'member', call);
  await count(2);
  await succeed(call('DELETE', `/api/members/${await memberId(room, member)}`, { token: member.token }));
  await count(1);
  expect(problems).toEqual([]);
  await context.close();
});

it('nobody can be added to an archived room', async () => {
  const owner = await anAccount();
  const path = (room: { id: string }) => `/rooms/${room.id}?panel=members`;
  const [open, archived] = [await aRoom({ owner }), await aRoom({ owner, archived: true })];
  const { page, context } = await visit({ path: path(open), as: owner });
  const field = page.locator('aside').getByLabel('Add people');
  await field.waitFor();
  await page.goto(`${serveUrl}${path(archived)}`);
  await page.getByText('This room is archived.').waitFor();
  await page.locator('aside li.member').waitFor();
  expect(await field.count()).toBe(0);
  await context.close();
});

describe('somebody who is put out of a room while writing', () => {
  it.each([
    ['a removal', false],
    ['the deletion of the room', true],
  ])('somebody who is put out of a room while writing hears of it, and keeps the words: after %s', async (_, isDeleted) => {
    const [owner, member] = [await anAdmin(), await anAccount()];
    const room = await aRoom({ owner, members: [member], name: 'Plans' });
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}`, as: member });
    await page.locator('.room-pane .composer textarea:focus').waitFor();
    await page.keyboard.type('half a sentence');
    // A draft is stored a moment after the last key.
    await page.waitForTimeout(500);
    const path = isDeleted ? room.path : `/api/members/${await memberId(room, member)}`;
    await succeed(call('DELETE', path, { token: owner.token }));
    const sentence = isDeleted ? 'This room does not exist, or you are not a member of it.' : 'You are not in this room.';
    await page.locator('main p:focus', { hasText: sentence }).waitFor();
    // To type on leads nowhere.
    await page.keyboard.type(' of mine');
    await page.keyboard.press('Enter');
    await page.locator('main p:focus', { hasText: sentence }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'All rooms' }).click();
    await page
      .locator('.rooms')
      .getByRole('link', { name: /^Drafts/ })
      .click();
    await page.locator('.results', { hasText: 'half a sentence' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
