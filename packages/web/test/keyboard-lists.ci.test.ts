import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { fillSample, type Sample } from '../../../tools/gallery/sample.ts';
import { serveUrl, visit } from './support.ts';

let sample: Sample;
beforeAll(async () => {
  const admin = await anAccount({ isAdmin: true });
  sample = await fillSample(serveUrl, { ...admin, username: admin.username });
});

/** How many tab stops there are within an element. */
const stopsIn = (page: Page, selector: string) =>
  page.evaluate<number>(`[...document.querySelectorAll(${JSON.stringify(selector)} + ' *')].filter((element) =>
    element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true })).length`);

const focused = (page: Page) =>
  page.evaluate<string>(
    "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim().slice(0, 60)",
  );

/** The accessible names in a part of the page, without values that differ each time. */
const namesIn = async (page: Page, selector: string) =>
  (await page.locator(selector).first().ariaSnapshot())
    .replaceAll(/\d{1,2}:\d{2}(?:\s[AP]M)?/g, 'TIME')
    .replaceAll(/ \d+ (?:mention|unread|thread)[^":\n]*/g, '')
    .replaceAll(/\/[\w?=&/-]{12,}/g, 'PATH')
    .replaceAll(/(bob|carol|dan|ann|user)[-.]?[0-9a-f]{6,}/g, '$1');

describe('every list', () => {
  it('every list is one tab stop, within which arrow keys move', async () => {
    const { page, context, problems } = await visit({ path: `/rooms/${sample.room}?panel=members`, as: sample.people.ann });
    await page.locator('.member').nth(3).waitFor();
    await page.locator('.room-pane li.message').nth(8).waitFor();
    for (const list of ['.room-pane .messages ol', '.rooms', '.members', '.room-pane .composer .tools'])
      expect([list, await stopsIn(page, list)]).toEqual([list, 1]);
    // Rooms and their sections, with what belongs to each along the line.
    await page.locator('.rooms a[aria-current=page]').focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toBe('Actions for Release');
    await page.keyboard.press('Home');
    expect(await focused(page)).toContain('Notifications');
    // Messages, and the elements within them.
    await page.keyboard.press('F6');
    await page.keyboard.press('Home');
    expect(await focused(page)).toContain('Good morning!');
    for (let at = 0; at < 30 && !(await focused(page)).includes('🎉'); at++) {
      await page.keyboard.press('ArrowDown');
      if (!(await focused(page)).includes('The importer skips')) continue;
      for (let step = 0; step < 8 && !(await focused(page)).startsWith('🎉'); step++) await page.keyboard.press('ArrowRight');
    }
    expect(await focused(page)).toMatch(/^🎉 2/);
    await page.keyboard.press('Escape');
    expect(await focused(page)).toContain('The importer skips');
    expect([await stopsIn(page, '.room-pane .messages ol'), problems]).toEqual([1, []]);
    await page.goto(`${serveUrl}/rooms/${sample.room}?panel=saved`);
    await page.locator('.results li').first().waitFor();
    expect(await stopsIn(page, '.results')).toBe(1);
    await context.close();
  });

  it('every list has a name for screen readers', async () => {
    const { page, context } = await visit({ path: `/rooms/${sample.garden}`, as: sample.people.ann });
    await page.locator('.room-pane .open-picture img').nth(2).waitFor();
    await page.locator('.rooms a', { hasText: 'Garden' }).waitFor();
    await page.locator('.room-pane').getByText('@Ann Björk').waitFor();
    await page.locator('.room-pane .bar').getByRole('link', { name: 'Members: 4' }).waitFor();
    expect(await namesIn(page, '.room-pane .bar')).toMatchInlineSnapshot(`
      "- paragraph: What grows, and who waters it
      - link "Search in this room":
        - /url: PATH
      - link "Pinned messages":
        - /url: PATH
      - 'link "Members: 4"':
        - /url: PATH
      - link "About this room":
        - /url: PATH"
    `);
    expect(await namesIn(page, '.room-pane .composer')).toMatchInlineSnapshot(`
      "- textbox "Message Garden":
        - /placeholder: Message Garden · anyone at Chat can read it
      - toolbar "Format":
        - button "Add files"
        - button "Bold (Ctrl B)"
        - button "Italic (Ctrl I)"
        - button "Code (Ctrl E)"
        - button "Link (Ctrl K)"
        - button "Quote"
        - button "List"
        - button "Mention someone"
        - button "Choose an emoji"
      - button "Send""
    `);
    expect(await namesIn(page, '.room-pane .messages ol')).toMatchInlineSnapshot(`
      "- list:
        - listitem: Today
        - listitem: New
        - listitem "Carol Ó Dálaigh TIME The tomatoes are in. Who takes the watering on Saturday?":
          - paragraph:
            - button "Carol Ó Dálaigh"
            - link "TIME":
              - /url: PATH
              - time: TIME
          - paragraph: The tomatoes are in. Who takes the watering on Saturday?
        - listitem "danuser TIME I can, if @Ann Björk lends me the key to the shed":
          - paragraph:
            - button "danuser"
            - link "TIME":
              - /url: PATH
              - time: TIME
          - paragraph: I can, if @Ann Björk lends me the key to the shed
        - 'listitem "danuser: This is how it looks today"':
          - time: TIME
          - text: "danuser:"
          - paragraph: This is how it looks today
          - list:
            - listitem:
              - button "Show Greenhouse.png"
            - listitem:
              - button "Show Tomatoes.png"
            - listitem:
              - text: Watering plan.txt 13 B
              - link "Download Watering plan.txt":
                - /url: PATH
        - listitem "Carol Ó Dálaigh TIME":
          - paragraph:
            - button "Carol Ó Dálaigh"
            - link "TIME":
              - /url: PATH
              - time: TIME
          - list:
            - listitem:
              - button "Show The new bed.png""
    `);
    expect(await namesIn(page, '.sidebar')).toMatchInlineSnapshot(`
      "- navigation "Rooms":
        - link "Chat":
          - /url: /
        - button "More"
        - button "Search or jump to… Ctrl K"
        - list "Across all rooms":
          - listitem:
            - link "Notifications":
              - /url: PATH
          - listitem:
            - link "Threads":
              - /url: PATH
          - listitem:
            - link "Saved":
              - /url: PATH
        - region "Favourites":
          - heading "Favourites" [level=2]:
            - button "Favourites" [expanded]
          - list:
            - listitem:
              - link "Garden":
                - /url: PATH
              - button "Actions for Garden"
        - region "Rooms":
          - heading "Rooms" [level=2]:
            - button "Rooms" [expanded]
          - button "New room"
          - list:
            - listitem:
              - link "Music":
                - /url: PATH
              - button "Actions for Music"
            - listitem:
              - link "Reading circle":
                - /url: PATH
              - button "Actions for Reading circle"
            - listitem:
              - link "Release":
                - /url: PATH
              - button "Actions for Release"
            - listitem:
              - link "Travel":
                - /url: PATH
              - button "Actions for Travel"
            - listitem:
              - link "חדר עברית":
                - /url: PATH
              - button "Actions for חדר עברית"
          - link "All rooms":
            - /url: /directory
        - region "Direct messages":
          - heading "Direct messages" [level=2]:
            - button "Direct messages" [expanded]
          - button "New message"
          - list:
            - listitem:
              - link "Carol Ó Dálaigh, danuser":
                - /url: PATH
              - button "Actions for Carol Ó Dálaigh, danuser"
            - listitem:
              - link "bobuser":
                - /url: PATH
              - button "Actions for bobuser"
        - button "Invite people"
        - button "Ann Björk"
        - link "Settings":
          - /url: /settings"
    `);
    await context.close();
  });
});
