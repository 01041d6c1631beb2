import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, aName, anAccount, anAdmin, aSession } from '../../../test/support/accounts.ts';
import { mailsTo } from '../../../test/support/mail.ts';
import { aRoom, aRoomOf, succeed } from '../../../test/support/rooms.ts';
import { call, serveUrl, type Visit, visit } from './support.ts';

/*
 * The tasks of docs/operating.md, from the list of rooms on, as somebody does them who was never
 * there.
 */

const admin = await anAdmin();
const ask = (path: string) => succeed(call('GET', path, { token: admin.token }));
const stateOf = async ({ id }: Account) => (await ask(`/api/users/${id}`)).body;
const usageOf = async (id: string) => (await ask(`/api/users/${id}/usage`)).body;
const roomState = async (id: string) => ((await ask(`/api/overview/rooms?room=${id}`)).body as object[])[0];

/** A user at the page, by mouse, finger or keyboard. */
type Hands = {
  page: Page;
  /** Presses something. */
  press: (what: Locator) => Promise<void>;
  type: (field: Locator, text: string) => Promise<void>;
  choose: (field: Locator, option: string) => Promise<void>;
};

const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

/** Goes from the list of rooms to a section of the page. */
async function open({ page, press }: Hands, section?: string) {
  await press(link(page, 'Settings'));
  await press(link(page, 'Administration'));
  if (section !== undefined)
    await press(page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: section }));
}

/** Finds something in a list, and opens what can be done about it. */
async function manage({ page, press, type }: Hands, name: string) {
  await type(page.getByRole('searchbox').first(), name);
  await expect.poll(() => page.locator('.content > .listed > .managed').count()).toBe(1);
  await press(button(page, `Manage ${name}`));
  await page.locator('.panel .admin-actions').waitFor();
}

/** Does something, and agrees to what will happen. */
async function act({ page, press }: Hands, label: string) {
  await press(button(page.locator('.panel'), label));
  await press(button(page.getByRole('dialog'), label));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** A task, the most presses that it may take, and its steps. The last step sees the result. */
type Task = [what: string, presses: number, walk: (hands: Hands) => Promise<void>];

const tasks: Task[] = [
  [
    'see what needs attention, and how much there is',
    2,
    async (hands) => {
      await open(hands);
      await hands.page.getByRole('heading', { name: 'Needs attention' }).waitFor();
      await hands.page.getByRole('heading', { name: 'Messages per day' }).waitFor();
    },
  ],
  [
    'create an account',
    5,
    async (hands) => {
      const username = aName();
      await open(hands, 'People');
      await hands.press(button(hands.page, 'Create an account'));
      await hands.type(hands.page.getByLabel('Username'), username);
      await hands.type(hands.page.getByLabel('E-mail address'), `${username}@example.org`);
      await hands.press(button(hands.page.getByRole('dialog'), 'Create account'));
      await hands.page.getByRole('textbox', { name: 'Link for a new password' }).waitFor();
      expect((await ask(`/api/users?username=${username}`)).body).toHaveLength(1);
    },
  ],
  [
    'invite somebody by e-mail',
    5,
    async (hands) => {
      const email = `${aName()}@example.org`;
      await open(hands, 'People');
      await hands.press(button(hands.page.getByRole('main'), 'Invite people'));
      await hands.type(hands.page.getByRole('dialog').getByLabel('Add people'), email);
      await hands.press(button(hands.page.getByRole('dialog'), 'Add'));
      await hands.page.getByText(`The link was sent to ${email}.`).waitFor();
      expect(mailsTo(email)).toHaveLength(1);
    },
  ],
  [
    'let somebody set a new password by a link',
    5,
    async (hands) => {
      const { username } = await anAccount();
      await open(hands, 'People');
      await manage(hands, username);
      await hands.press(button(hands.page, 'Create a reset link'));
      await hands.page.getByRole('textbox', { name: 'Link for a new password' }).waitFor();
    },
  ],
  [
    'deactivate somebody',
    6,
    async (hands) => {
      const person = await anAccount();
      await open(hands, 'People');
      await manage(hands, person.username);
      await act(hands, 'Deactivate');
      await expect.poll(() => stateOf(person)).toMatchObject({ is_active: false });
    },
  ],
  [
    'make an administrator, found by the address',
    6,
    async (hands) => {
      const person = await anAccount();
      await open(hands, 'People');
      await hands.type(hands.page.getByRole('searchbox'), person.email);
      await expect.poll(() => hands.page.locator('.managed').count()).toBe(1);
      await hands.press(button(hands.page, `Manage ${person.username}`));
      await act(hands, 'Make administrator');
      await expect.poll(() => stateOf(person)).toMatchObject({ is_admin: true });
    },
  ],
  [
    'set the rate of somebody',
    7,
    async (hands) => {
      const { id, username } = await anAccount();
      await open(hands, 'People');
      await manage(hands, username);
      await hands.press(button(hands.page.locator('.admin-actions'), `Actions for ${username}`));
      await hands.press(hands.page.getByRole('menuitem', { name: 'Change the rate' }));
      await hands.type(hands.page.getByLabel('Messages and changes per second'), '20');
      await hands.press(button(hands.page.getByRole('dialog'), 'Set the rate'));
      await expect.poll(() => usageOf(id)).toMatchObject({ writes_per_second: 20 });
    },
  ],
  [
    'end one session of somebody',
    7,
    async (hands) => {
      const person = await anAccount();
      const [first, second] = [await aSession(call, person), await aSession(call, person)];
      await open(hands, 'People');
      await manage(hands, person.username);
      await hands.press(hands.page.locator('.panel summary', { hasText: 'Devices' }));
      await hands.press(hands.page.getByRole('button', { name: `…${first.slice(-4)}` }));
      await hands.press(button(hands.page.getByRole('dialog'), 'Sign out'));
      await expect.poll(() => usageOf(person.id)).toMatchObject({ sessions: 1 });
      expect((await call('GET', '/api/users/me', { token: second })).status).toBe(200);
    },
  ],
  [
    'revoke a token of somebody',
    7,
    async (hands) => {
      const { id, username } = await anAccount();
      const body = { name: 'Build server', scopes: ['rooms:read'], user: id };
      await succeed(call('POST', '/api/tokens', { token: admin.token, body }));
      await open(hands, 'People');
      await manage(hands, username);
      await hands.press(hands.page.locator('.panel summary', { hasText: 'Access tokens' }));
      await hands.press(button(hands.page, 'Revoke Build server'));
      await hands.press(button(hands.page.getByRole('dialog'), 'Revoke'));
      await expect.poll(() => usageOf(id)).toMatchObject({ tokens: 1 });
    },
  ],
  [
    'create a bot',
    5,
    async (hands) => {
      const username = aName();
      await open(hands, 'People');
      await hands.press(link(hands.page, 'Bots'));
      await hands.type(hands.page.getByLabel('Username of the new bot'), username);
      await hands.press(button(hands.page, 'Create a bot'));
      await expect.poll(async () => (await ask(`/api/users?username=${username}`)).body).toMatchObject([{ is_bot: true }]);
    },
  ],
  [
    'create a room for somebody',
    5,
    async (hands) => {
      const [name, owner] = [aName(), await anAccount()];
      await open(hands, 'Rooms');
      await hands.press(button(hands.page, 'Create a room'));
      await hands.type(hands.page.getByLabel('Name of the room'), name);
      await hands.type(hands.page.getByLabel('Owner'), owner.username);
      await hands.press(button(hands.page.getByRole('dialog'), 'Create room'));
      // The list of all rooms may be long: it is found among the owner's.
      const made = async () => {
        const { body } = await call('GET', '/api/members?user=me', { token: owner.token });
        const [room] = (body as { room: { $oid: string }; room_name: string }[]).filter(({ room_name }) => room_name === name);
        return room && roomState(room.room.$oid);
      };
      await expect.poll(made).toMatchObject({ member_count: 1, owner_count: 1 });
      await hands.page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  ],
  [
    'archive a room',
    6,
    async (hands) => {
      const name = aName();
      const { id } = await aRoom({ name, is_visible: false });
      await open(hands, 'Rooms');
      await manage(hands, name);
      await act(hands, 'Archive');
      await expect.poll(() => roomState(id)).toMatchObject({ archived_at: {} });
    },
  ],
  [
    'put a room on hold',
    6,
    async (hands) => {
      const name = aName();
      const { id } = await aRoom({ name });
      await open(hands, 'Rooms');
      await manage(hands, name);
      await act(hands, 'Legal hold');
      await expect.poll(() => roomState(id)).toMatchObject({ is_held: true });
    },
  ],
  [
    'give a room an owner',
    5,
    async (hands) => {
      const [name, member] = [aName(), await anAccount()];
      const id = await aRoomOf([[member, 'member']], { name, name_key: `${name}\u0001` });
      await open(hands, 'Rooms');
      await manage(hands, name);
      await hands.press(hands.page.locator('.panel summary', { hasText: 'Members' }));
      await hands.choose(hands.page.getByRole('combobox', { name: `Role of ${member.username}` }), 'owner');
      await expect.poll(() => roomState(id)).toMatchObject({ owner_count: 1 });
    },
  ],
  [
    'make an invitation link to a room of others',
    6,
    async (hands) => {
      const name = aName();
      await aRoom({ name });
      await open(hands, 'Invitations');
      await hands.press(button(hands.page, 'Create an invitation link'));
      await hands.type(hands.page.getByRole('dialog').getByRole('searchbox'), name);
      await hands.press(button(hands.page.getByRole('dialog'), name));
      await hands.press(button(hands.page.getByRole('dialog'), 'Create a link'));
      await hands.page.getByRole('textbox', { name: 'Invitation link' }).waitFor();
    },
  ],
];

/**
 * The tasks that are also done by the keyboard: at night all of them. In CI, these have every kind
 * of thing to press or to fill in.
 */
const byKeyboard = [
  'invite somebody by e-mail',
  'set the rate of somebody',
  'end one session of somebody',
  'create a bot',
  'give a room an owner',
];
const keyboardTasks = tasks.filter(([what]) => process.env.KEYBOARD_TASKS === 'all' || byKeyboard.includes(what));

describe('an administrator', () => {
  let visited: Visit;
  beforeAll(async () => {
    await aRoomOf([admin], { name: 'Welcome' });
    visited = await visit({ path: '/', as: admin });
  });
  afterAll(() => visited.context.close());

  /** At the list of rooms, with nothing open. */
  async function begin(): Promise<Page> {
    const { page } = visited;
    // If a dialog is still open, the page asks about typed text. `openPage()` accepts this.
    await page.goto(`${serveUrl}/directory`);
    await link(page, 'Settings').waitFor();
    return page;
  }

  it.each(tasks)('an administrator can %s, by the mouse in at most %i clicks', async (_what, most, walk) => {
    const page = await begin();
    let clicks = 0;
    await walk({
      page,
      press: async (what) => {
        clicks++;
        await what.click();
      },
      type: (field, text) => field.fill(text),
      choose: async (field, option) => void (await field.selectOption(option)),
    });
    expect(clicks).toBeLessThanOrEqual(most);
  });

  it.each(keyboardTasks)('an administrator can %s, by the keyboard alone', async (_what, _most, walk) => {
    const page = await begin();
    const reach = async (what: Locator) => {
      await what.waitFor();
      // Finding something by its role takes longer than a key.
      const element = await what.elementHandle();
      const isFocused = () => element?.evaluate((it) => it === it.ownerDocument.activeElement);
      const key = (await page.getByRole('menu').count()) > 0 ? 'ArrowDown' : 'Tab';
      for (let tries = 0; tries < 60 && !(await isFocused()); tries++) await page.keyboard.press(key);
      expect(await isFocused()).toBe(true);
    };
    await walk({
      page,
      press: async (what) => {
        await reach(what);
        await page.keyboard.press('Enter');
      },
      type: async (field, text) => {
        await reach(field);
        await page.keyboard.type(text);
      },
      choose: async (field, option) => {
        await reach(field);
        // Its first letter chooses it.
        await page.keyboard.press(option.slice(0, 1).toUpperCase());
      },
    });
    expect(visited.problems).toEqual([]);
  });
});
