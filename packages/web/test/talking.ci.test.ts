import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { type MessageDocument, messages } from '../../../lib/collections/rooms/messages.ts';
import { aName, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, aRoomOf } from '../../../test/support/rooms.ts';
import { goWithin, interceptRequests } from '../../../tools/harness/browser.ts';
import { call, say, serveUrl, signIn, textsOf, visit } from './support.ts';

describe('a room', () => {
  it('a room shows a message that was on its way while later ones were read', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob]);
    const [first, second] = [await aMessage(bob, room, { text: 'first' }), await aMessage(bob, room, { text: 'second' })];
    const late = (await messages.findOne({ _id: new ObjectId(first._id.$oid) })) as MessageDocument;
    await messages.unscoped.deleteOne({ _id: late._id });
    // However long this takes, the feed waits for what comes before so young a message.
    const stayYoung = () => messages.updateOne({ _id: new ObjectId(second._id.$oid) }, { $set: { created_at: new Date() } });
    await stayYoung();
    const staying = setInterval(() => void stayYoung(), 200);

    const { page, context } = await visit({ path: `/rooms/${room}`, as: ann });
    await expect.poll(() => textsOf(page)).toEqual(['second']);
    await messages.unscoped.insertOne(late);
    await say(page, 'third');
    await expect.poll(() => textsOf(page)).toEqual(['first', 'second', 'third']);
    clearInterval(staying);
    await context.close();
  });

  it('a room is shown before the position of its feed is known, and misses nothing that was said and changed meanwhile', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob]);
    const { _id } = await aMessage(bob, room, { text: 'early' });
    const { page, problems, context } = await visit({ as: ann });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await interceptRequests(
      page,
      '**/api/events?*',
      async (route) => {
        await held;
        await route.abort();
      },
      1,
    );
    await page.goto(`${serveUrl}/rooms/${room}`);
    await expect.poll(() => textsOf(page)).toEqual(['early']);
    await call('PATCH', `/api/messages/${_id.$oid}`, { token: bob.token, body: { text: 'changed' } });
    await aMessage(bob, room, { text: 'late' });
    // The first answer is lost: it is asked for again.
    letGo();
    await expect.poll(() => textsOf(page)).toEqual(['changed', 'late']);
    await aMessage(bob, room, { text: 'later' });
    await expect.poll(() => textsOf(page)).toEqual(['changed', 'late', 'later']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a room is followed even if it could not be opened at first and something was said in it', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob]);
    const { page, context } = await visit({ as: ann });
    await interceptRequests(page, '**/api/events?*', (route) => route.abort(), 1);
    await page.goto(`${serveUrl}/rooms/${room}`);
    await say(page, 'mine');
    await page.locator('li.message:not(.pending)').waitFor();
    await aMessage(bob, room, { text: 'his' }, call);
    await expect.poll(() => textsOf(page)).toEqual(['mine', 'his']);
    await context.close();
  });
});

describe('the history of a room', () => {
  it('the history of a room is requested again when it could not be read', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob], { name: 'Old' });
    // More than a first page, from two accounts, because the burst of one is limited.
    for (let count = 0; count < 30; count++) await Promise.all([ann, bob].map((account) => aMessage(account, room)));
    const { page, context } = await visit();
    const asked: string[] = [];
    await page.route(/\/api\/messages\?.*before=/, (route) => {
      asked.push(route.request().url());
      return asked.length === 1 ? route.abort() : route.continue();
    });
    await signIn(page, ann);
    await page.locator('.rooms li', { hasText: 'Old' }).click();
    await page.locator('.room-pane li.message').first().waitFor();
    // Again and again, as someone does whom the page takes back to the newest message that it has
    // just shown.
    const scrollUp = () => page.locator('#messages').evaluate((box) => void Object.assign(box, { scrollTop: 0 }));
    await expect.poll(() => scrollUp().then(() => asked.length)).toBeGreaterThan(0);
    await page.getByText('This is the beginning of the room.').waitFor();
    expect(asked).toHaveLength(2);
    await context.close();
  });
});

describe('a panel beside a room', () => {
  it.each([
    ['members', '.members li'],
    ['pins', '.results li'],
    ['details', '.about-room .field'],
  ])('a panel beside a room is loaded as soon as the connection is back: %s', async (panel, content) => {
    const owner = await anAccount();
    const room = await aRoomOf([owner]);
    const other = await aRoomOf([owner]);
    for (const place of [room, other]) {
      const { _id } = await aMessage(owner, place);
      await call('PUT', `/api/messages/${_id.$oid}/pin`, { token: owner.token, body: {} });
    }
    const { page, problems, context } = await visit({ path: `/rooms/${other}`, as: owner });
    await page.locator('.rooms li').first().waitFor();
    // The code of the panel was loaded before, and of the room nothing but its name was read.
    await goWithin(page, `/rooms/${other}?panel=${panel}`);
    await page.locator('.side').locator(content).first().waitFor();
    await goWithin(page, '/');
    await context.setOffline(true);
    await goWithin(page, `/rooms/${room}?panel=${panel}`);
    const beside = page.locator('.side');
    await beside.getByRole('button', { name: 'Try again' }).waitFor();
    await context.setOffline(false);
    await beside.locator(content).first().waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('a newcomer', () => {
  it('a newcomer creates an account, joins a room, and talks', async () => {
    const name = aName();
    const room = await aRoom({ name: `Lounge ${name}` });
    const { page, problems, context } = await visit();
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('E-mail address').fill(`${name}@example.org`);
    await page.getByLabel('Password').fill('a horse, a battery');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('main').getByRole('link', { name: 'All rooms' }).click();
    await page.getByRole('searchbox').fill(`Lounge ${name}`);
    await page.locator('li.card', { hasText: name }).getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: `Lounge ${name}`, exact: true }).waitFor();
    await say(page, 'Hello, **everyone**!');
    await page.locator('li.message strong', { hasText: 'everyone' }).waitFor();
    await page.locator('li.message:not(.pending)').waitFor();
    const stored = await call('GET', `/api/messages?room=${room.id}`, { token: room.owner.token });
    expect(stored.body).toMatchObject([{ text: 'Hello, **everyone**!', username: name }]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a newcomer sees why a password is refused', async () => {
    const { username } = await anAccount();
    const { page, problems, context } = await visit();
    await page.getByLabel('Username or e-mail address').fill(username);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Wrong username or password.').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('two people', () => {
  it("two people see each other's messages, and unread messages elsewhere", async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ name: 'Plans', owner: ann, members: [bob] });
    const other = await aRoom({ name: 'Garden', owner: ann, members: [bob] });
    const hers = await visit({ path: `/rooms/${room.id}` });
    const his = await visit({ path: `/rooms/${room.id}`, as: bob });
    await signIn(hers.page, ann);
    await his.page.getByRole('heading', { name: 'Welcome to Plans' }).waitFor();
    await say(hers.page, 'Shall we?');
    await his.page.locator('li.message', { hasText: 'Shall we?' }).waitFor();
    // Screen readers announce it too, and nothing else.
    await his.page.getByRole('log').getByText(`${ann.username}: Shall we?`).waitFor({ state: 'attached' });
    // Messages arrive over the connection that also shows who is typing.
    const hersEditor = hers.page.locator('.room-pane .composer textarea');
    await expect
      .poll(async () => {
        await hersEditor.pressSequentially('x');
        return his.page.locator('.typing').textContent();
      })
      .toBe(`${ann.username} is typing`);
    await hersEditor.fill('');
    await say(his.page, 'Yes');
    await hers.page.locator('li.message .text', { hasText: 'Yes' }).waitFor();
    await aMessage(ann, other.id, { text: 'Look at the roses' }, call);
    await his.page.getByRole('link', { name: /Garden.*1 unread message/ }).click();
    await his.page.locator('li.message', { hasText: 'Look at the roses' }).waitFor();
    await his.page.getByRole('link', { name: /^Garden$/ }).waitFor();
    expect([await textsOf(hers.page), hers.problems, his.problems]).toEqual([['Shall we?', 'Yes'], [], []]);
    await Promise.all([hers.context.close(), his.context.close()]);
  });
});

describe('a message to everyone', () => {
  it('a message to everyone is completed, confirmed if many people get it, marked, and counted for each', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const people = await Promise.all(Array.from({ length: 20 }, () => anAccount()));
    const room = await aRoomOf([owner, other, ...people]);
    const { page, context, problems } = await visit({ path: `/rooms/${room}`, as: owner });
    await page.locator('.room-pane .beginning').waitFor();
    const composer = page.locator('.room-pane .composer textarea');
    await composer.pressSequentially('@ro');
    await page.getByRole('option', { name: 'Notify everyone in this room' }).waitFor();
    await page.keyboard.press('Enter');
    await composer.pressSequentially('cake!');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Notify 21 people?' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await composer.inputValue()).toBe('@room cake!');
    await composer.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.locator('.room-pane li.message:not(.pending) .mention', { hasText: '@room' }).waitFor();
    expect(problems).toEqual([]);
    const { body } = await call('GET', '/api/members?user=me', { token: other.token });
    expect(body).toMatchObject([{ unread_mentions: 1 }]);
    await context.close();
  });

  it('a message to @here notifies people who look elsewhere', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const [here, there] = [await aRoomOf([owner, other]), await aRoomOf([owner, other])];
    const { page, context } = await visit({ path: `/rooms/${here}`, as: other });
    await page.locator('.room-pane .beginning').waitFor();
    const told = page.locator('[aria-live]', { hasText: '1 new message' });
    await expect
      .poll(
        async () => {
          await aMessage(owner, there, { text: '@here?' }, call);
          return told.count();
        },
        { interval: 2_000, timeout: 30_000 },
      )
      .toBeGreaterThan(0);
    await context.close();
  });
});
