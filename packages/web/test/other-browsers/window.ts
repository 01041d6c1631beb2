/** A window of a browser with storage of its own. Elements are handles of the browser. */
export type Window = {
  open: (address: string) => Promise<unknown>;
  /** Runs the body of a function in the page, and returns its result, which is JSON. */
  run: (body: string) => Promise<unknown>;
  /** The element that the body of a function returns, or undefined. */
  find: (body: string) => Promise<string | undefined>;
  /** Presses the middle of an element, as a person does. */
  click: (element: string) => Promise<unknown>;
  /** Types into the field that has the focus; `\n` is Enter. */
  type: (text: string) => Promise<unknown>;
  chooseFile: (element: string, path: string) => Promise<unknown>;
};

/** A browser that is controlled by a standard protocol. */
export type OtherBrowser = { openWindow: () => Promise<Window>; close: () => Promise<unknown> };

/** The Enter key, as WebDriver writes it. */
const enter = '\uE007';

/** The keys of a text, in the notation of WebDriver. */
export const keysOf = (text: string): string[] => [...text].map((key) => (key === '\n' ? enter : key));
