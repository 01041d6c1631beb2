import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../../tools/harness/service.ts';
import { openFirefox } from './other-browsers/firefox.ts';
import { openWebKit } from './other-browsers/webkit.ts';
import type { OtherBrowser } from './other-browsers/window.ts';
import { Person } from './other-browsers.ts';

const folder = mkdtempSync(join(tmpdir(), 'first-hour-'));
const picture = join(folder, 'sunset.png');
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

beforeAll(() => writeFileSync(picture, Buffer.from(pixel, 'base64')));

const browsers: [string, () => Promise<OtherBrowser>][] = [
  ['Firefox', openFirefox],
  ['WebKit', openWebKit],
];

for (const [name, openBrowser] of browsers) {
  let service: Service;
  let browser: OtherBrowser;

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it(`two people spend their first hour in ${name}: set up, room, invitation, picture, thread, search and sign out`, async () => {
    const directory = mkdtempSync(join(folder, 'service-'));
    service = await startService({
      MONGODB_URI: '',
      DATA_DIR: join(directory, 'data'),
      FILES: join(directory, 'files'),
      BCRYPT_COST: '4',
    });
    browser = await openBrowser();
    const link = /(\/setup#[a-z0-9]{32})\n/.exec(service.output())?.[1] ?? '';

    // Ann sets the service up with her name, and makes a room.
    const ann = new Person(await browser.openWindow());
    await ann.window.open(`${service.url}${link}`);
    await signUp(ann, 'Ann Lee', 'ann@example.org');
    await ann.see('heading', 'Welcome to General');
    await ann.click('button', 'New room');
    await ann.fill('Name of the room', 'Kitchen');
    await ann.click('button', 'Create room');
    await ann.see('heading', 'Welcome to Kitchen');

    // She invites Ben, who comes with an account of his own.
    await ann.click('button', 'Invite people');
    // The room behind the dialog has a button with the same name as the dialog.
    await ann.see('field', 'Add people');
    await ann.click('button', 'Copy invite link');
    await ann.see('field', 'Invitation link');
    const field = await ann.window.run("return document.querySelector('.share-link input').value");
    const invitation = new URL(String(field));
    await ann.click('button', 'Close');
    const ben = new Person(await browser.openWindow());
    await ben.window.open(`${service.url}${invitation.pathname}${invitation.hash}`);
    await signUp(ben, 'Ben Okri', 'ben@example.org');

    // They talk, by name.
    await ben.say('Message', 'Hello Ann, is there soup today?');
    await ann.see('message', 'Ben Okri');
    await ann.see('message', 'is there soup today?');
    await ann.say('Message', 'Tomato, until two.');
    await ben.see('message', 'Tomato, until two.');

    // A picture.
    const picker = await ann.window.find(`return document.querySelector('.composer input[type=file]')`);
    await ann.window.chooseFile(picker ?? '', picture);
    await ann.waitFor(`return document.querySelector('.composer')?.textContent.includes('sunset.png')`);
    await ann.say('Message', 'It looks like this');
    await ben.see('message', 'It looks like this');
    await ben.waitFor(`return document.querySelector('.message .open-picture img')?.naturalWidth === 1`);

    // A thread.
    await ben.window.click(await ben.see('message', 'Tomato, until two.'));
    await ben.click('button', 'Reply in a thread');
    await ben.say('Reply', 'Keep one for me');
    await ann.see('message', '1 reply');

    // A search finds the message.
    await ann.click('link', 'Search in this room');
    await ann.fill('Search', 'soup\n');
    await ann.waitFor(`return document.querySelector('.side .results')?.textContent.includes('is there soup today?')`);

    await ann.click('button', 'More');
    await ann.click('button', 'Sign out');
    await ann.see('heading', 'Sign in');
    expect(await ann.window.run('return location.pathname')).toBe('/login');
  });
}

async function signUp(person: Person, name: string, email: string): Promise<void> {
  await person.fill('Your name', name);
  await person.fill('E-mail address', email);
  await person.fill('Password', 'correct horse');
  await person.click('button', 'Create account');
}
