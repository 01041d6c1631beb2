import type { Page } from 'playwright-core';
import { drawn, goWithin, interceptRequests } from '../harness/browser.ts';
import { aPng } from './pictures.ts';
import type { Sample } from './sample.ts';

/**
 * One screen of the web client: its address, the steps before it opens, and the steps before the
 * picture is taken.
 */
type Screen = {
  name: string;
  /** Its address; by default, that of the first room. */
  path?: (sample: Sample) => string;
  isSignedOut?: true;
  before?: (page: Page) => Promise<unknown>;
  act?: (page: Page, sample: Sample) => Promise<void>;
};

/** Every screen. */
export const screens: Screen[] = [
  {
    name: 'setup',
    path: () => `/setup#${'a'.repeat(32)}`,
    isSignedOut: true,
    before: async (page) => {
      // Answers like a service without an account.
      const end = await interceptRequests(page, '**/api/setup', (route) =>
        route.fulfill({ json: { is_done: false, is_signed_in: false } }),
      );
      await page.reload();
      await page.locator('main').waitFor();
      end();
    },
  },
  { name: 'login', path: () => '/login', isSignedOut: true, before: (page) => page.reload() },
  { name: 'signup', path: () => '/signup', isSignedOut: true },
  { name: 'password', path: () => '/password', isSignedOut: true },
  { name: 'invited', path: ({ invitation }) => `/join#${invitation}`, isSignedOut: true },
  { name: 'home', path: () => '/' },
  { name: 'room' },
  { name: 'welcome', path: ({ empty }) => `/rooms/${empty}`, act: (page) => page.locator('.welcome').waitFor() },
  {
    name: 'invite',
    path: ({ empty }) => `/rooms/${empty}`,
    act: async (page) => {
      await page.locator('.welcome').getByRole('button', { name: 'Add people' }).click();
      await page.getByRole('dialog').getByLabel('Add people').pressSequentially('eve@example.org, car');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'new-room',
    path: () => '/directory',
    act: async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'New room' }).click();
      await page.getByRole('dialog').getByLabel('Name of the room').fill('Summer party');
    },
  },
  {
    name: 'new-message',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'New message' }).click();
      await page.getByRole('dialog').getByLabel('To:').pressSequentially('o');
      await page.getByRole('option').first().waitFor();
    },
  },
  { name: 'message', path: ({ room, linked }) => `/rooms/${room}/${linked}` },
  { name: 'thread', path: ({ room, thread }) => `/rooms/${room}?thread=${thread}` },
  { name: 'members', path: ({ room }) => `/rooms/${room}?panel=members` },
  {
    name: 'invitations',
    path: ({ room }) => `/rooms/${room}?panel=members`,
    act: async (page) => {
      await page.getByText('Invitation links', { exact: true }).click();
      await page.getByRole('button', { name: 'Create a link' }).click();
      await page.getByLabel('Invitation link').waitFor();
      await page.getByRole('button', { name: 'Create a link' }).scrollIntoViewIfNeeded();
    },
  },
  { name: 'join', path: () => `/join#${'a'.repeat(32)}` },
  { name: 'pins', path: ({ room }) => `/rooms/${room}?panel=pins` },
  { name: 'details', path: ({ room }) => `/rooms/${room}?panel=details` },
  { name: 'room-settings', path: ({ room }) => `/rooms/${room}?panel=settings` },
  {
    name: 'webhooks',
    path: ({ room }) => `/rooms/${room}?panel=integrations`,
    act: async (page) => {
      await page.getByLabel('Name of the new webhook').fill('Kitchen alarm');
      await page.getByRole('button', { name: 'Create a webhook' }).click();
      await page.getByLabel('Address of the webhook').waitFor();
      await page.getByRole('button', { name: 'Create a webhook' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'search',
    path: ({ room }) => `/rooms/${room}?panel=search`,
    act: async (page) => {
      await page.getByRole('searchbox', { name: 'Search messages' }).fill('rehearsal');
      await page.keyboard.press('Enter');
      await page.locator('.results li').first().waitFor();
    },
  },
  {
    name: 'search-dates',
    path: ({ room }) => `/rooms/${room}?panel=search&q=rehearsal`,
    act: async (page) => {
      await page.locator('.results li').first().waitFor();
      await page.locator('.filter-chips').getByRole('button', { name: 'Date' }).click();
      await page.getByRole('menuitemradio', { name: 'Yesterday' }).waitFor();
    },
  },
  { name: 'directory', path: () => '/directory' },
  { name: 'settings-menu', path: () => '/settings' },
  { name: 'settings', path: () => '/settings/profile' },
  { name: 'second-factor', path: () => '/settings/security' },
  { name: 'passkeys', path: () => '/settings/passkeys' },
  { name: 'sessions', path: () => '/settings/sessions' },
  { name: 'tokens', path: () => '/settings/tokens' },
  { name: 'bots', path: () => '/settings/bots' },
  { name: 'about', path: () => '/settings/about' },
  { name: 'admin-menu', path: () => '/admin' },
  {
    name: 'admin-people',
    path: () => '/admin/people',
    act: async (page, { people }) => {
      await page.getByRole('searchbox').fill(people.bob.username);
      const bob = page.getByRole('button', { name: `Manage ${people.bob.username}` });
      await bob.click();
      await page.locator('.panel .admin-actions').waitFor();
      await bob.scrollIntoViewIfNeeded();
    },
  },
  { name: 'admin-overview', path: () => '/admin/overview', act: (page) => page.getByText('Figures').waitFor() },
  {
    name: 'admin-rooms',
    path: ({ room }) => `/admin/rooms?room=${room}`,
    act: async (page) => {
      await page.getByRole('button', { name: /^Manage / }).click();
      await page.locator('.panel .admin-actions').waitFor();
      await page.locator('.panel').getByText('Members', { exact: true }).click();
      await page.locator('.panel .managed').first().waitFor();
    },
  },
  { name: 'admin-invitations', path: () => '/admin/invitations', act: (page) => page.locator('.managed').first().waitFor() },
  {
    name: 'admin-webhooks',
    path: () => '/admin/webhooks',
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Manage / })
        .first()
        .click();
      await page.locator('.panel .admin-actions').waitFor();
    },
  },
  { name: 'admin-files', path: () => '/admin/files', act: (page) => page.locator('.listed .card').first().waitFor() },
  { name: 'appearance', path: () => '/settings/notifications' },
  {
    name: 'unsent',
    path: ({ quiet }) => `/rooms/${quiet}`,
    act: async (page) => {
      // Of a room that could not be read without a connection, the page does not show what waits
      // either.
      await page.locator('.room-pane .beginning').waitFor();
      await loadedAhead(page);
      await page.context().setOffline(true);
      await page.locator('.room-pane .composer textarea').fill('This was written on a train, without a connection.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.state.waiting').waitFor();
    },
  },
  { name: 'threads', path: ({ room }) => `/rooms/${room}?panel=threads` },
  { name: 'notifications', path: ({ room }) => `/rooms/${room}?panel=notifications` },
  { name: 'notifications-alone', path: () => '/?panel=notifications' },
  { name: 'saved', path: ({ room }) => `/rooms/${room}?panel=saved` },
  {
    name: 'card',
    path: ({ room }) => `/rooms/${room}?panel=members`,
    act: async (page) => {
      // Once all of them are there.
      await page.locator('.member').nth(3).waitFor();
      // Not by the mouse: the list is read again meanwhile, and may move below it.
      await page.locator('.member .name .person').last().dispatchEvent('click');
      await page.getByRole('dialog').waitFor();
      await page.getByRole('dialog').getByRole('link').first().waitFor();
    },
  },
  {
    name: 'status',
    act: async (page) => {
      // On a phone it stands behind the room, which it is not about.
      await page.locator('.sidebar footer .person').dispatchEvent('click');
      await page.getByRole('button', { name: 'Set a status' }).click();
      await page.getByRole('dialog', { name: 'Status' }).waitFor();
    },
  },
  {
    name: 'mention',
    act: async (page) => {
      await page.locator('.room-pane .composer textarea').pressSequentially('Thank you, @');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'emoji',
    act: async (page) => {
      await page.getByRole('button', { name: 'Choose an emoji' }).click();
      await page.getByRole('searchbox', { name: 'Find an emoji' }).waitFor();
    },
  },
  {
    name: 'switcher',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'switcher-words',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or jump to…' }).pressSequentially('re');
      await page.getByRole('option', { name: 'Search messages for' }).waitFor();
    },
  },
  {
    name: 'shortcuts',
    act: async (page) => {
      await page.keyboard.press('Control+/');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'forward',
    act: async (page) => {
      await chooseAction(page, 'Forward');
      await page.getByRole('dialog').getByLabel('Room or person').pressSequentially('Gar');
      await page.getByRole('option', { name: 'Garden' }).first().click();
      await page.locator('.forwarded').waitFor();
    },
  },
  {
    name: 'reminder',
    act: async (page) => {
      await chooseAction(page, 'Remind me');
      await page.getByRole('dialog', { name: 'Remind me' }).waitFor();
    },
  },
  {
    name: 'files',
    path: ({ garden }) => `/rooms/${garden}`,
    act: async (page) => {
      await page.locator('.open-picture img').nth(2).waitFor();
    },
  },
  {
    name: 'tray',
    path: ({ garden }) => `/rooms/${garden}`,
    act: async (page) => {
      const files = [
        { name: 'Greenhouse.png', mimeType: 'image/png', buffer: aPng(400, 300) },
        { name: 'What we water on Saturdays and on Sundays.txt', mimeType: 'text/plain', buffer: Buffer.from('Saturday: Dan') },
      ];
      await page.locator('.composer input[type=file]').setInputFiles(files);
      await page.locator('.tray canvas').waitFor();
    },
  },
  {
    name: 'unsent-files',
    path: ({ quiet }) => `/rooms/${quiet}`,
    act: async (page) => {
      await page.locator('.room-pane .beginning').waitFor();
      // By then, the code that is loaded later is there.
      await page.locator('.composer input[type=file]').setInputFiles([
        { name: 'Stage.png', mimeType: 'image/png', buffer: aPng(400, 300) },
        { name: 'Songs.txt', mimeType: 'text/plain', buffer: Buffer.from('Seven') },
      ]);
      await page.locator('.tray canvas').waitFor();
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.locator('li.pending canvas').waitFor();
    },
  },
  {
    name: 'lightbox',
    path: ({ garden }) => `/rooms/${garden}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Show Tomatoes.png' }).click();
      await page.locator('.lightbox img').waitFor();
    },
  },
  {
    name: 'drafts',
    act: async (page) => {
      await page.locator('.room-pane .composer textarea').fill('What I wanted to say about the importer');
      await goWithin(page, '/?panel=drafts');
      await page.locator('.results li').waitFor();
    },
  },
  { name: 'admin-audit', path: () => '/admin/audit', act: (page) => page.locator('.content li').first().waitFor() },
  { name: 'admin-settings', path: () => '/admin/settings', act: (page) => page.locator('.variables dt').first().waitFor() },
  {
    name: 'ask-to-notify',
    path: ({ reading }) => `/rooms/${reading}`,
    act: async (page) => {
      // As in a browser that has not been asked yet.
      await page.evaluate("Object.defineProperty(Notification, 'permission', { value: 'default', configurable: true })");
      await page.locator('.room-pane .composer textarea').fill('An hour later is fine.');
      // With a touch screen, Enter begins a line.
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.locator('.ask-to-notify').waitFor();
      await page.locator('li.message:not(.pending)').last().waitFor();
    },
  },
];

/** Chooses something in the menu of a message. */
async function chooseAction(page: Page, name: string): Promise<void> {
  const message = page.locator('.room-pane li.message', { hasText: 'The notes are at' });
  await message.focus();
  await message.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name }).click();
}

/** How a screen may be looked at. */
type Look = { where: 'desk' | 'phone'; theme: 'light' | 'dark'; direction: 'ltr' | 'rtl' };

/**
 * Waits for the code that comes after the first room: a page that lost some of it is loaded again
 * when it needs that.
 */
async function loadedAhead(page: Page): Promise<void> {
  const count = () =>
    page.evaluate<number>(
      "(() => { const all = performance.getEntriesByType('resource').map(({ name }) => name); return all.some((name) => name.includes('/assets/card-')) ? all.filter((name) => name.includes('/assets/')).length : 0; })()",
    );
  for (let before = -1, now = 0; now === 0 || now !== before; ) {
    await page.waitForTimeout(500);
    [before, now] = [now, await count()];
  }
}

/** All the ways. */
export const looks: Look[] = (['desk', 'phone'] as const).flatMap((where) =>
  (['light', 'dark'] as const).flatMap((theme) => (['ltr', 'rtl'] as const).map((direction) => ({ where, theme, direction }))),
);

/** How large the page is. */
export const sizes = { desk: { width: 1_280, height: 800 }, phone: { width: 390, height: 780 } };

/** Brings a page to a screen, and waits until it has come to rest. */
export async function show(page: Page, screen: Screen, sample: Sample, { direction }: Pick<Look, 'direction'>): Promise<void> {
  await screen.before?.(page);
  await page.evaluate(`document.documentElement.dir = '${direction}'`);
  await page.mouse.move(0, 0);
  await goWithin(page, screen.path?.(sample) ?? `/rooms/${sample.room}`);
  await page.locator('main').waitFor({ state: 'attached' });
  await page.locator('.loading[role=status]').first().waitFor({ state: 'hidden' });
  await screen.act?.(page, sample);
  // An image that is replaced meanwhile cannot be decoded: it is looked at again.
  await page.waitForFunction(
    'Promise.all([document.fonts.ready, ...[...document.images].map((image) => image.decode())]).then(() => true, () => false)',
  );
  await drawn(page);
}

/** Closes everything that a screen has open, and discards the text typed in a dialog. */
export async function leave(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  const discard = dialog.getByRole('button', { name: 'Discard' });
  // The first key may only close a list of suggestions.
  for (let presses = 0; presses < 2 || (presses < 4 && (await dialog.count()) > 0); presses++) {
    await page.keyboard.press('Escape');
    if (await discard.isVisible()) await discard.click();
  }
}
