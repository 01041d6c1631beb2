import { ObjectId } from 'mongodb';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { webhookStates } from '../../../lib/collections/delivery/webhook-states.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { anAccount, anAdmin } from '../../../test/support/accounts.ts';
import { aBot } from '../../../test/support/bots.ts';
import { aFile } from '../../../test/support/files.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, aRoomOf, succeed } from '../../../test/support/rooms.ts';
import { goWithin, interceptRequests } from '../../../tools/harness/browser.ts';
import { objections } from './axe.ts';
import { call, type Visit, type VisitSettings, visit } from './support.ts';

const admin = await anAdmin();

const phone = { width: 390, height: 844, options: { hasTouch: true } };

/** An administrator, who is in no room, at a section of the page. */
async function at(section: string, settings: VisitSettings = {}): Promise<Visit> {
  const visited = await visit({ path: '/admin/overview', ...settings, as: admin });
  await goWithin(visited.page, `/admin/${section}`);
  await visited.page.locator('main.admin').waitFor();
  return visited;
}

/** A name that no other test's rooms have. */
const aWord = () => `owl${crypto.randomUUID().slice(0, 13)}`;

async function manage(page: Page, name: string): Promise<void> {
  await page.getByRole('searchbox').first().fill(name);
  await expect.poll(() => page.locator('.content > .listed > .managed').count()).toBe(1);
  await page.getByRole('button', { name: `Manage ${name}` }).click();
  await page.locator('.panel .admin-actions').waitFor();
}

/** Does something, and agrees to what will happen; returns what the page said that would be. */
async function act(page: Page, label: string): Promise<string> {
  await page.locator('.panel').getByRole('button', { name: label, exact: true }).click();
  const dialog = page.getByRole('dialog');
  const effects = (await dialog.locator('.effects li').allInnerTexts()).join('\n');
  await dialog.getByRole('button', { name: label, exact: true }).click();
  return effects;
}

/**
 * The item of a list that has a text, which may be on a later page: other tests have made some as
 * well.
 */
async function listed(page: Page, text: string) {
  const item = page.locator('.managed', { hasText: text });
  const more = page.getByRole('button', { name: 'Show more' });
  await page.locator('.managed').first().waitFor();
  await expect
    .poll(async () => {
      // The button goes with the last page, which may come before the click.
      if ((await item.count()) === 0 && (await more.isVisible())) await more.click({ timeout: 1_000 }).catch(() => undefined);
      return item.count();
    })
    .toBe(1);
  return item;
}

const managed = async (id: string) =>
  ((await succeed(call('GET', `/api/overview/rooms?room=${id}`, { token: admin.token }))).body as object[])[0];

const looks: [string, VisitSettings][] = [
  ['on a desk, light', { options: { colorScheme: 'light' as const, reducedMotion: 'reduce' as const } }],
  [
    'on a phone, dark',
    { ...phone, options: { ...phone.options, colorScheme: 'dark' as const, reducedMotion: 'reduce' as const } },
  ],
];

describe('the sections of the administrators’ page', () => {
  it.each(looks)('the sections of the administrators’ page pass axe-core and fit their width %s', async (_look, settings) => {
    const word = aWord();
    const room = await aRoom({ name: word, is_visible: false, members: [await anAccount()] });
    const { token } = room.owner;
    await succeed(call('POST', `${room.path}/invitations`, { token, body: {} }));
    await succeed(call('POST', `${room.path}/webhooks`, { token, body: { name: 'Builds' } }));
    const file = await aFile(room.owner, room.id);
    await succeed(call('POST', '/api/messages', { token, body: { room: room.id, files: [file.id] } }));
    const { page, context, problems } = await at('overview', settings);
    await page.getByText('Figures').waitFor();
    expect(await objections(page)).toEqual([]);
    await goWithin(page, '/admin/rooms');
    await manage(page, word);
    await page.locator('.panel').getByText('Members', { exact: true }).click();
    await page.locator('.panel .managed').first().waitFor();
    await page.locator('.panel').getByText('Invitation links', { exact: true }).click();
    expect(await objections(page)).toEqual([]);
    for (const section of ['invitations', 'webhooks', 'files']) {
      await goWithin(page, `/admin/${section}`);
      await page.locator('.listed > li').first().waitFor();
      expect([section, await objections(page)]).toEqual([section, []]);
    }
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('rooms', () => {
  it('rooms are archived and taken back into use on a phone, also hidden ones that the administrator is not in', async () => {
    const word = aWord();
    const room = await aRoom({ name: word, is_visible: false, is_open: false, members: [await anAccount()] });
    const { page, context } = await at('rooms', phone);
    await manage(page, word);
    expect(await page.locator('.managed .tag').allInnerTexts()).toEqual(['Hidden', 'By invitation']);
    expect(await act(page, 'Archive')).toBe(
      'Nobody can write or join any longer.\n2 members can still read it.\nYou can unarchive it later.',
    );
    await page.locator('.tag', { hasText: 'Archived' }).waitFor();
    expect(await managed(room.id)).toMatchObject({ archived_at: {} });
    await page.getByRole('button', { name: 'Unarchive' }).click();
    await page.locator('.tag', { hasText: 'Archived' }).waitFor({ state: 'detached' });
    expect(await managed(room.id)).toMatchObject({ archived_at: null });
    await context.close();
  });

  it('rooms are created for the administrator, or for others if at least one of them exists', async () => {
    const [word, owner] = [aWord(), await anAccount()];
    const { page, context, problems } = await at('rooms', phone);
    const dialog = page.getByRole('dialog');
    const create = async (name: string, username: string) => {
      await page.getByRole('button', { name: 'Create a room' }).click();
      await dialog.getByLabel('Name of the room').fill(name);
      await dialog.getByLabel('Owner').fill(username);
      await dialog.getByRole('button', { name: 'Create room' }).click();
    };
    await create(`${word} one`, `nobody-${word}`);
    await dialog.getByText(`Nobody is called nobody-${word}.`).waitFor();
    expect(await objections(page)).toEqual([]);
    await dialog.getByLabel('Owner').fill(`@${owner.username.toUpperCase()}`);
    await dialog.getByRole('button', { name: 'Create room' }).click();
    await page.locator('.toast', { hasText: `${word} one is created.` }).waitFor();
    await create(`${word} two`, '');
    await page.locator('.toast', { hasText: `${word} two is created.` }).waitFor();
    const { body } = await succeed(call('GET', `/api/overview/rooms?q=${word}`, { token: admin.token }));
    const made = body as { _id: { $oid: string }; name: string }[];
    expect(made.map(({ name }) => name).sort()).toEqual([`${word} one`, `${word} two`]);
    const ownersOf = async (name: string) => {
      const room = made.find((one) => one.name === name)?._id.$oid;
      const { body: members } = await call('GET', `/api/members?room=${room}`, { token: admin.token });
      return (members as { username: string; role: string }[]).map(({ username, role }) => [username, role]);
    };
    expect(await ownersOf(`${word} one`)).toEqual([[owner.username, 'owner']]);
    expect(await ownersOf(`${word} two`)).toEqual([[admin.username, 'owner']]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('rooms that are created for others get the owner and members of the form, and the page says if only a part was done', async () => {
    const [word, owner, other, left] = [aWord(), await anAccount(), await anAccount(), await anAccount()];
    await succeed(call('PATCH', `/api/users/${left.id}`, { token: admin.token, body: { is_active: false } }));
    const roomsNow = async () => (await succeed(call('GET', `/api/overview/rooms?q=${word}`, { token: admin.token }))).body;
    const { page, context, problems } = await at('rooms');
    await page.getByRole('button', { name: 'Create a room' }).click();
    const dialog = page.getByRole('dialog');
    const create = async (username: string) => {
      await dialog.getByLabel('Owner').fill(username);
      await dialog.getByRole('button', { name: 'Create room' }).click();
    };
    await dialog.getByLabel('Name of the room').fill(word);
    await dialog.getByLabel('Secret').check();
    await create(left.username);
    await dialog.getByText('This user could not be made its owner.').waitFor();
    expect(await roomsNow()).toEqual([]);
    const isAddition = (route: Route) => route.request().method() === 'POST';
    const end = await interceptRequests(page, '**/api/members', (route) =>
      isAddition(route) ? route.abort() : route.continue(),
    );
    await create(owner.username);
    await dialog.getByText('The room was created and is still yours.').waitFor();
    end();
    expect(await roomsNow()).toMatchObject([{ is_visible: false, is_open: false, member_count: 1, owner_count: 1 }]);
    // Another gets no room that was made for somebody else.
    await create(other.username);
    await dialog.waitFor({ state: 'detached' });
    const { body: shared } = await succeed(call('GET', '/api/members?user=me', { token: other.token }));
    expect(shared).toMatchObject([{ room_name: word, role: 'owner' }]);
    expect(await roomsNow()).toHaveLength(2);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('rooms that are created for others are theirs also where they have joined meanwhile', async () => {
    const [word, owner] = [aWord(), await anAccount()];
    const { page, context } = await at('rooms');
    let isJoined = false;
    await page.route('**/api/members?*', async (route) => {
      const room = new URL(route.request().url()).searchParams.get('room');
      if (room !== null && !isJoined) {
        isJoined = true;
        await succeed(call('POST', '/api/members', { token: owner.token, body: { room } }));
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create a room' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the room').fill(word);
    await dialog.getByLabel('Owner').fill(owner.username);
    await dialog.getByRole('button', { name: 'Create room' }).click();
    await page.locator('.toast', { hasText: `${word} is created.` }).waitFor();
    const { body } = await succeed(call('GET', '/api/members?user=me', { token: owner.token }));
    expect([isJoined, body]).toMatchObject([true, [{ room_name: word, role: 'owner' }]]);
    await context.close();
  });

  it('rooms that are created for others are not created twice when the hand-over fails on its way', async () => {
    const [word, owner] = [aWord(), await anAccount()];
    const { page, context } = await at('rooms');
    // The administrator can't leave at first.
    const end = await interceptRequests(page, '**/api/members/*', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Create a room' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the room').fill(word);
    await dialog.getByLabel('Owner').fill(owner.username);
    await dialog.getByRole('button', { name: 'Create room' }).click();
    await dialog.getByRole('alert').first().waitFor();
    end();
    await dialog.getByRole('button', { name: 'Create room' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await succeed(call('GET', `/api/overview/rooms?q=${word}`, { token: admin.token }));
    expect(body).toMatchObject([{ name: word, member_count: 1, owner_count: 1 }]);
    await context.close();
  });

  it('rooms are put on hold, and released', async () => {
    const word = aWord();
    const room = await aRoom({ name: word });
    const { page, context } = await at('rooms');
    await manage(page, word);
    await act(page, 'Legal hold');
    await page.locator('.tag', { hasText: 'On hold' }).waitFor();
    expect(await managed(room.id)).toMatchObject({ is_held: true });
    await act(page, 'End the hold');
    await page.locator('.tag', { hasText: 'On hold' }).waitFor({ state: 'detached' });
    expect(await managed(room.id)).toMatchObject({ is_held: false });
    await context.close();
  });

  it('rooms get an owner, a member, and lose one, by an administrator who is not in them', async () => {
    const word = aWord();
    const [member, newcomer] = [await anAccount(), await anAccount()];
    const id = await aRoomOf([[member, 'member']], { name: word, name_key: `${word}\u0001` });
    const { page, context, problems } = await at('rooms');
    await manage(page, word);
    await page.locator('.managed .tag', { hasText: 'No owner' }).waitFor();
    const panel = page.locator('.panel');
    await panel.getByText('Members', { exact: true }).click();
    await panel.getByRole('combobox', { name: `Role of ${member.username}` }).selectOption('owner');
    await page.locator('.managed .tag', { hasText: 'No owner' }).waitFor({ state: 'detached' });
    await panel.getByLabel('Add people').fill(newcomer.username);
    await panel.getByRole('button', { name: 'Add', exact: true }).click();
    await panel.getByRole('combobox', { name: `Role of ${newcomer.username}` }).waitFor();
    expect(await managed(id)).toMatchObject({ owner_count: 1, member_count: 2 });
    await panel.locator('.managed', { hasText: newcomer.username }).getByRole('button', { name: 'Ban' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click();
    await panel.getByText('Banned', { exact: true }).waitFor();
    expect(await managed(id)).toMatchObject({ member_count: 1 });
    await panel.getByRole('button', { name: 'Unban' }).click();
    await panel.getByText('Banned', { exact: true }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('rooms have their bans listed page by page, and lift the last one as well', async () => {
    const word = aWord();
    const room = await aRoom({ name: word });
    const banned: string[] = [];
    while (banned.length < 51) banned.push((await anAccount()).id);
    const _id = new ObjectId(room.id);
    await rooms.updateOne({ _id }, { $set: { banned: banned.map((id) => new ObjectId(id)) } });
    const { page, context } = await at('rooms');
    await manage(page, word);
    const panel = page.locator('.panel');
    await panel.getByText('Members', { exact: true }).click();
    const lifts = panel.getByRole('button', { name: 'Unban', exact: true });
    await expect.poll(() => lifts.count()).toBe(50);
    await panel.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => lifts.count()).toBe(51);
    await lifts.last().click();
    await expect.poll(() => lifts.count()).toBe(50);
    const last = banned.sort().at(-1);
    const stored = (await rooms.findOne({ _id }))?.banned.map((id) => id.toHexString());
    expect(stored).toHaveLength(50);
    expect(stored).not.toContain(last);
    await context.close();
  });

  it('rooms are archived, put on hold, given an owner and a link by the keyboard alone', async () => {
    const word = aWord();
    const member = await anAccount();
    const room = await aRoom({ name: word, members: [member] });
    const { page, context, problems } = await at('rooms');
    /** Tabs from field to field to the one with this name. */
    const reach = async (name: string) => {
      const called = () =>
        page.evaluate<string>(
          "((one) => one.getAttribute('aria-label') ?? (one.labels?.[0] ?? one).innerText)(document.activeElement).trim()",
        );
      for (let tries = 0; tries < 40 && (await called()) !== name; tries++) await page.keyboard.press('Tab');
      expect(await called()).toBe(name);
    };
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).waitFor();
      await reach(name);
      await page.keyboard.press('Enter');
    };
    const agree = async (name: string) => {
      await press(name);
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await reach('Find rooms by name or topic');
    await page.keyboard.type(word);
    await expect.poll(() => page.locator('.content > .listed > .managed').count()).toBe(1);
    await press(`Manage ${word}`);
    await agree('Archive');
    await page.locator('.tag', { hasText: 'Archived' }).waitFor();
    await press('Unarchive');
    await page.locator('.tag', { hasText: 'Archived' }).waitFor({ state: 'detached' });
    await agree('Legal hold');
    await page.locator('.tag', { hasText: 'On hold' }).waitFor();
    await reach('Members');
    await page.keyboard.press('Enter');
    const role = page.getByRole('combobox', { name: `Role of ${member.username}` });
    await role.waitFor();
    await reach(`Role of ${member.username}`);
    await page.keyboard.press('End');
    await expect.poll(() => managed(room.id)).toMatchObject({ owner_count: 2, is_held: true, archived_at: null });
    await reach('Invitation links');
    await page.keyboard.press('Enter');
    await press('Create a link');
    await page.getByLabel('Invitation link').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('rooms are deleted by the keyboard alone, after the page has said how many things go', async () => {
    const word = aWord();
    const room = await aRoom({ name: word, members: [await anAccount()] });
    await aMessage(room.owner, room.id);
    await succeed(call('POST', `${room.path}/invitations`, { token: room.owner.token, body: {} }));
    const { page, context, problems } = await at('rooms');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.getByRole('searchbox').focus();
    await page.keyboard.type(word);
    await expect.poll(() => page.locator('.managed').count()).toBe(1);
    await page.getByRole('button', { name: `Manage ${word}` }).waitFor();
    await press('Tab', 'Enter');
    await page.getByRole('button', { name: 'Delete the room' }).waitFor();
    const isAt = (name: string) => page.evaluate<boolean>(`document.activeElement.innerText === '${name}'`);
    for (let tries = 0; tries < 12 && !(await isAt('Delete the room')); tries++) await press('Tab');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    expect((await page.locator('.effects li').allInnerTexts()).join('\n')).toBe(
      '2 members lose access.\n1 message is deleted for good.\n0 files are deleted for good (0 B).\n1 invitation and 0 webhooks stop working.\nThis can’t be undone.',
    );
    // The harmless answer has the focus.
    expect(await isAt('Cancel')).toBe(true);
    await press('Tab', 'Enter');
    await page.locator('.managed').waitFor({ state: 'detached' });
    expect((await call('GET', room.path, { token: admin.token })).status).toBe(404);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('rooms are listed page by page, and a press on “Show more” counts also while the list is being read', async () => {
    const word = aWord();
    const owner = await anAccount();
    for (let index = 0; index < 52; index++) await aRoom({ owner, name: `${word} n${index}` });
    const { page, context } = await at('rooms');
    const search = page.getByRole('searchbox');
    const more = page.getByRole('button', { name: 'Show more' });
    const listed = () => page.locator('.managed', { hasText: word }).count();
    const isOf = (q: string, { pathname, searchParams }: URL) =>
      pathname === '/api/overview/rooms' && (searchParams.get('q') ?? '') === q;
    const isFirst = (q: string) => (url: URL) => isOf(q, url) && !url.searchParams.has('after');
    const isNext = (q: string) => (url: URL) => isOf(q, url) && url.searchParams.has('after');
    const answerOf = (isIt: (url: URL) => boolean) => page.waitForResponse((response) => isIt(new URL(response.url())));
    /** Holds the next answer. */
    const hold = async (isIt: (url: URL) => boolean) => {
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const answer = async (route: Route) => {
        asked.resolve();
        await released.promise;
        await route.continue();
      };
      await interceptRequests(page, isIt, answer, 1);
      return { asked: asked.promise, release: () => released.resolve() };
    };

    // The list of the search is on its way.
    await more.waitFor();
    const found = await hold(isFirst(word));
    await search.fill(word);
    await found.asked;
    await more.click();
    const wordFound = answerOf(isFirst(word));
    found.release();
    await (await wordFound).finished();
    await expect.poll(listed).toBe(52);
    expect(await more.count()).toBe(0);

    // The search finds fewer than a page. No random word has an n: it is hexadecimal.
    await search.fill('');
    await more.waitFor();
    const few = await hold(isFirst(`${word} n1`));
    await search.fill(`${word} n1`);
    await few.asked;
    await more.click();
    few.release();
    await more.waitFor({ state: 'detached' });
    await page.waitForTimeout(300);
    expect(await listed()).toBe(11);

    // It is not yet asked for.
    await search.fill('');
    await more.waitFor();
    const part = word.slice(0, -1);
    const late = await hold(isNext(''));
    const partFound = answerOf(isFirst(part));
    await search.fill(part);
    await more.click();
    await partFound;
    late.release();
    await expect.poll(listed).toBe(52);

    // The page reads the same list again while the next page is on its way.
    await search.fill('');
    await more.waitFor();
    const again = answerOf(isFirst(word));
    await search.fill(word);
    await (await again).finished();
    await expect.poll(listed).toBe(50);
    const next = await hold(isNext(word));
    await more.click();
    await next.asked;
    const readAgain = answerOf(isFirst(word));
    await page.getByRole('button', { name: 'Create a room' }).click();
    await page.getByRole('dialog').getByLabel('Name of the room').press('Escape');
    await (await readAgain).finished();
    next.release();
    await expect.poll(listed).toBe(52);
    await context.close();
  });
});

describe('invitations of all rooms', () => {
  it('an administrator makes and revokes invitations of any room', async () => {
    const word = aWord();
    const room = await aRoom({ name: word });
    const { page, context } = await at('invitations', phone);
    await page.getByRole('button', { name: 'Create an invitation link' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('searchbox').fill(word);
    await dialog.getByRole('button', { name: word }).click();
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    const link = await dialog.getByLabel('Invitation link').inputValue();
    const [, invitation = ''] = /\/join#(.+)$/.exec(link) ?? [];
    expect((await call('POST', '/api/invitations', { body: { invitation } })).body).toMatchObject({ room_name: word });
    await page.keyboard.press('Escape');
    const item = await listed(page, `…${invitation.slice(-4)}`);
    await item.getByRole('link', { name: word }).waitFor();
    await item.getByRole('button', { name: /^Revoke/ }).click();
    await item.waitFor({ state: 'detached' });
    expect((await call('GET', `${room.path}/invitations`, { token: room.owner.token })).body).toEqual([]);
    await context.close();
  });
});

describe('webhooks of all rooms', () => {
  it('webhooks of all rooms show what failed last and lead to their room, are switched on again, and revoked', async () => {
    const word = aWord();
    const room = await aRoom({ name: word });
    const body = { name: word, url: 'https://example.org/hook' };
    const { _id } = (await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body }))).body as {
      _id: { $oid: string };
    };
    const now = new Date();
    await webhookStates.insertOne({
      _id: new ObjectId(_id.$oid),
      room: new ObjectId(room.id),
      seq: 0,
      holder: null,
      leased_until: new Date(0),
      failures: 3,
      failing_since: now,
      retry_at: null,
      disabled_at: now,
      deliveries: [{ seq: 1, type: 'message.created', at: now, milliseconds: 5, status: 503, answer: 'down for the day' }],
    });
    const { page, context } = await at('webhooks');
    const item = await listed(page, word);
    await item.getByText('Switched off').waitFor();
    expect(await item.textContent()).toContain('503 down for the day');
    await item.getByRole('button', { name: `Manage ${word}` }).click();
    await item.getByRole('button', { name: 'Switch on' }).click();
    await item.getByText('Switched off').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: word }).click();
    await page.getByRole('button', { name: `Manage ${word}` }).waitFor();
    expect(await page.locator('.managed').count()).toBe(1);
    await page.goBack();
    await (await listed(page, word)).getByRole('button', { name: `Manage ${word}` }).click();
    expect(await act(page, 'Revoke')).toBe(
      'Programs can no longer post with it or receive events.\nThe messages stay.\nThis can’t be undone.',
    );
    await item.waitFor({ state: 'detached' });
    expect((await call('GET', `${room.path}/webhooks`, { token: room.owner.token })).body).toEqual([]);
    await context.close();
  });

  it('webhooks of bots are listed with them, and the overview leads to exactly those that are switched off', async () => {
    const [on, off] = [aWord(), aWord()];
    const owner = await anAccount();
    const bots = [await aBot(owner, { name: on }), await aBot(owner, { name: off })];
    for (const { path } of bots)
      await succeed(call('PUT', `${path}/webhook`, { token: owner.token, body: { url: 'https://example.org/hook' } }));
    const turn = (is_enabled: boolean) =>
      succeed(call('PATCH', `${bots[1]?.path}/webhook`, { token: owner.token, body: { is_enabled } }));
    await turn(false);
    const { page, context } = await at('webhooks');
    await (await listed(page, on)).getByText(owner.username).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('.content section').getByRole('link', { name: 'Webhooks' }).click();
    const item = await listed(page, off);
    expect(await page.getByLabel('Switched off only').isChecked()).toBe(true);
    expect(await page.locator('.managed', { hasText: on }).count()).toBe(0);
    await item.getByRole('button', { name: `Manage ${off}` }).click();
    await item.getByRole('button', { name: 'Switch on' }).click();
    await item.getByText('Switched off').waitFor({ state: 'detached' });
    expect((await call('GET', `${bots[1]?.path}/webhook`, { token: owner.token })).body).toMatchObject({ disabled_at: null });
    // The address says which are shown, also after another load and from the tab of the open list.
    const box = page.getByLabel('Switched off only');
    const address = () => new URL(page.url()).pathname + new URL(page.url()).search;
    await box.uncheck();
    await listed(page, on);
    expect(address()).toBe('/admin/webhooks');
    await page.reload();
    await listed(page, on);
    expect(await box.isChecked()).toBe(false);
    await box.check();
    await expect.poll(address).toBe('/admin/webhooks?off');
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Webhooks' }).click();
    await listed(page, on);
    expect(await box.isChecked()).toBe(false);
    await (await listed(page, off)).getByRole('button', { name: `Manage ${off}` }).click();
    await act(page, 'Revoke');
    await item.waitFor({ state: 'detached' });
    expect((await call('GET', `${bots[1]?.path}/webhook`, { token: owner.token })).status).toBe(404);
    await context.close();
  });
});

describe('files', () => {
  it('files are deleted with their message, after a question', async () => {
    const room = await aRoom({ name: aWord() });
    const file = await aFile(room.owner, room.id, { bytes: 'x'.repeat(20_000) });
    const { token } = room.owner;
    const { _id } = (await succeed(call('POST', '/api/messages', { token, body: { room: room.id, files: [file.id] } }))).body as {
      _id: { $oid: string };
    };
    const { page, context } = await at('files', phone);
    await page.getByRole('button', { name: `Delete its message: ${room.owner.username}, 20 kB` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete its message' }).click();
    await page.locator('.toast', { hasText: 'The message is deleted.' }).waitFor();
    expect((await call('GET', `/api/messages/${_id.$oid}`, { token })).body).toMatchObject({ text: '', deleted_at: {} });
    await context.close();
  });
});

describe('the overview', () => {
  it('the overview says what needs attention, and how much there is', async () => {
    const { page, context, problems } = await at('overview');
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    const [label] = await page.locator('.figures dt').allInnerTexts();
    expect(label).toBe('People');
    expect(Number(((await page.locator('.figures dd').first().textContent()) ?? '').replace(/\D/g, ''))).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    await context.close();
  });
});
