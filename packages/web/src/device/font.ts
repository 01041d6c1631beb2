import cyrillic from '@fontsource-variable/inter/files/inter-cyrillic-wght-normal.woff2';
import greek from '@fontsource-variable/inter/files/inter-greek-wght-normal.woff2';
import latinExtended from '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2';
import latin from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
import vietnamese from '@fontsource-variable/inter/files/inter-vietnamese-wght-normal.woff2';
import ranges from '@fontsource-variable/inter/unicode.json' with { type: 'json' };
import { route } from './routes.ts';
import { recall, remember } from './storage.ts';

/*
 * The font of the page. Its file is loaded after the first drawing, and used from the next visit
 * on: text that changes its font would move under the reader. Later visits have it in the browser's
 * cache before the first drawing.
 */

const key = 'chat-font';
const family = 'Inter Variable';

/** How long the first picture waits for a font that the browser has kept. */
const patienceMs = 100;

/** Faces for further scripts: the browser loads each with the first letter that needs it. */
const further = [
  [latinExtended, ranges['latin-ext']],
  [cyrillic, ranges.cyrillic],
  [greek, ranges.greek],
  [vietnamese, ranges.vietnamese],
] as const;

const makeFace = (address: string, unicodeRange: string) =>
  // `optional`: letters that have been drawn keep their font.
  new FontFace(family, `url(${address})`, { weight: '100 900', unicodeRange, display: 'optional' });

/**
 * Uses the font for the first drawing if an earlier visit has loaded it. Resolves when the page may
 * be drawn.
 */
export async function startFont(): Promise<void> {
  if (recall(key) !== latin) {
    const load = () => void loadFont().then(useWithNextView, () => {});
    if (document.readyState === 'complete') load();
    else addEventListener('load', load);
    return;
  }
  let isLate = false;
  const loading = loadFont().then(
    () => (isLate ? useWithNextView() : useNow()),
    () => {},
  );
  await Promise.race([loading, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
  isLate = true;
}

async function loadFont(): Promise<void> {
  document.fonts.add(await makeFace(latin, ranges.latin).load());
  for (const [address, range] of further) document.fonts.add(makeFace(address, range));
  remember(key, latin);
}

function useNow(): void {
  document.documentElement.dataset.font = 'inter';
}

function useWithNextView(): void {
  const shown = route.peek();
  const end = route.subscribe((next) => {
    if (next === shown) return;
    useNow();
    end();
  });
}
