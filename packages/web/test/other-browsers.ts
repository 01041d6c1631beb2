import { setTimeout as wait } from 'node:timers/promises';
import type { Window } from './other-browsers/window.ts';

/**
 * Things that a person looks for in a page. A field is found by the start of its label, a message
 * by a part of its text.
 */
type Kind = 'button' | 'link' | 'field' | 'heading' | 'message';

const selectors: Record<Kind, string> = {
  button: 'button, summary, [role=menuitem], [role=tab]',
  link: 'a[href]',
  field: 'input, textarea, select',
  heading: 'h1, h2, h3',
  message: '.message',
};

/** How long a person waits for something: these browsers share a busy machine. */
const patienceMs = 60_000;

/** Somebody in front of a window of a browser. */
export class Person {
  readonly window: Window;

  constructor(window: Window) {
    this.window = window;
  }

  /** Waits until something is there, and not below a dialog. */
  async see(kind: Kind, name: string): Promise<string> {
    const body = finder(kind, name);
    for (const end = Date.now() + patienceMs; Date.now() < end; await wait(100)) {
      const element = await this.window.find(body).catch(() => undefined);
      if (element !== undefined) return element;
    }
    throw new Error(`No ${kind} “${name}”. The page shows: ${await this.window.run('return document.body.innerText')}`);
  }

  /** Clicks something; once more if it was drawn again meanwhile. */
  async click(kind: Kind, name: string): Promise<void> {
    const element = await this.see(kind, name);
    try {
      await this.window.click(element);
    } catch (failure) {
      if (!/stale element|no such node/.test(String(failure))) throw failure;
      await this.window.click(await this.see(kind, name));
    }
  }

  async fill(label: string, text: string): Promise<void> {
    await this.click('field', label);
    await this.window.type(text);
  }

  /** Sends a message from the field that stands in the room or in the thread. */
  async say(label: string, text: string): Promise<void> {
    await this.fill(label, `${text}\n`);
    await this.see('message', text);
  }

  /** Waits until the body of a function returns something true. */
  async waitFor(body: string): Promise<unknown> {
    for (const end = Date.now() + patienceMs; Date.now() < end; await wait(100)) {
      const found = await this.window.run(body).catch(() => undefined);
      if (found) return found;
    }
    throw new Error(`Not true: ${body}. The page shows: ${await this.window.run('return document.body.innerText')}`);
  }
}

/** The body of a function that finds an element in the dialog on top, or in the page. */
const finder = (kind: Kind, name: string) => `
  const [kind, wanted] = ${JSON.stringify([kind, name])};
  const squeeze = (text) => (text ?? '').replace(/\\s+/g, ' ').trim();
  const label = (element) => [...(element.labels ?? [])].map(({ textContent }) => textContent).join(' ');
  const nameOf = (element) =>
    squeeze(element.getAttribute('aria-label') || label(element) || element.textContent || element.placeholder);
  const fits = (name) =>
    kind === 'message' ? name.includes(wanted) : kind === 'field' ? name.startsWith(wanted) : name === wanted;
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  return [...root.querySelectorAll(${JSON.stringify(selectors[kind])})].find(
    (element) =>
      element.getClientRects().length > 0 && fits(kind === 'message' ? squeeze(element.textContent) : nameOf(element)),
  );`;
