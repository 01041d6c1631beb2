/*
 * Browsers and systems, as people call them, from what programs say of themselves (`User-Agent`).
 */

/**
 * The program that a session was begun with; `name` is undefined if people would not know it.
 */
export type DeviceName = { browser: string | undefined; system: string | undefined; isPhone: boolean };

/** From the most special to the most general: each browser claims to be those after it. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/\bAppleWebKit\//, 'WebKit'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'Mac'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

const nameIn = (list: typeof browsers, agent: string) => list.find(([pattern]) => pattern.test(agent))?.[1];

/** Names the browser and the system; for another program, the name before the first slash. */
export function deviceNameOf(agent: string): DeviceName {
  const system = nameIn(systems, agent);
  const isPhone = /\b(iPhone|Mobile)\b/.test(agent);
  const browser = nameIn(browsers, agent) ?? (/^[\w.-]+(?=\/|$)/.exec(agent)?.[0] || undefined);
  return { browser: browser === 'Mozilla' || browser === 'session' ? undefined : browser, system, isPhone };
}
