import { drawPng, type Shape } from './draw-png.ts';
import { html } from './html.ts';

/*
 * The icon of the service: a speech bubble with the initial of its name, on the colour of the
 * brand.
 */

/** The length of a side of the drawing. */
const side = 512;

const bubble =
  'M256 96C159 96 80 161 80 242C80 288 106 329 146 356L128 416L206 380C222 385 239 387 256 387C353 387 432 322 432 242C432 162 353 96 256 96';

/**
 * Letters and digits as strokes, ten units high. A server draws images without fonts; strokes are
 * the same everywhere.
 */
const strokes: Record<string, string> = {
  A: 'M0 10L3.5 0L7 10M1.2 6.8L5.8 6.8',
  B: 'M.5 0L.5 10M.5 0L3.6 0C6.7 0 6.7 4.7 3.6 4.7L.5 4.7M3.6 4.7C7.7 4.7 7.7 10 3.6 10L.5 10',
  C: 'M6.8 2.4C5.6 -.9 .4 -1.3 .4 5C.4 11.3 5.6 10.9 6.8 7.6',
  D: 'M.5 0L.5 10M.5 0L3 0C8.3 0 8.3 10 3 10L.5 10',
  E: 'M6 0L.5 0L.5 10L6 10M.5 4.8L5.3 4.8',
  F: 'M6 0L.5 0L.5 10M.5 5L5.3 5',
  G: 'M6.7 2.2C5.4 -.9 .4 -1.3 .4 5C.4 11.5 7 11.1 7 5.4L4.2 5.4',
  H: 'M.5 0L.5 10M6.5 0L6.5 10M.5 4.9L6.5 4.9',
  I: 'M0 0L0 10',
  J: 'M5 0L5 7C5 11 .5 10.9 .2 7.6',
  K: 'M.5 0L.5 10M6.5 0L.8 6.1M2.9 4.2L6.8 10',
  L: 'M.5 0L.5 10L6 10',
  M: 'M.4 10L.4 0L4.3 6.6L8.2 0L8.2 10',
  N: 'M.5 10L.5 0L6.5 10L6.5 0',
  O: 'M3.8 0C8.7 0 8.7 10 3.8 10C-1.1 10 -1.1 0 3.8 0',
  P: 'M.5 10L.5 0L3.8 0C7.4 0 7.4 5.6 3.8 5.6L.5 5.6',
  Q: 'M3.8 0C8.7 0 8.7 10 3.8 10C-1.1 10 -1.1 0 3.8 0M4.8 7.2L7.5 10.3',
  R: 'M.5 10L.5 0L3.8 0C7.3 0 7.3 5.4 3.8 5.4L.5 5.4M3.7 5.4L6.8 10',
  S: 'M6.2 2C5.4 -.7 .6 -.8 .6 2.5C.6 5.9 6.6 4.1 6.6 7.4C6.6 10.9 1.1 10.8 .2 7.9',
  T: 'M0 0L7 0M3.5 0L3.5 10',
  U: 'M.5 0L.5 6C.5 11.4 6.7 11.4 6.7 6L6.7 0',
  V: 'M0 0L3.5 10L7 0',
  W: 'M0 0L2.6 10L5.2 1.5L7.8 10L10.4 0',
  X: 'M.3 0L6.7 10M6.7 0L.3 10',
  Y: 'M0 0L3.5 5L7 0M3.5 5L3.5 10',
  Z: 'M.4 0L6.6 0L.4 10L6.6 10',
  0: 'M3.5 0C7.9 0 7.9 10 3.5 10C-.9 10 -.9 0 3.5 0',
  1: 'M.5 2.2L3 0L3 10',
  2: 'M.6 2.7C.8 -.9 6.4 -.9 6.4 2.8C6.4 5 3.2 7 .5 10L6.6 10',
  3: 'M.8 1.8C2 -.7 6.3 -.6 6.3 2.4C6.3 4.8 4 4.8 2.9 4.8C4.4 4.8 6.8 4.9 6.8 7.4C6.8 10.9 1.3 10.8 .3 7.9',
  4: 'M5.2 10L5.2 0L.2 7.1L7 7.1',
  5: 'M6 0L1.4 0L.9 4.6C2.4 3.2 6.6 3.2 6.6 6.8C6.6 10.9 1.3 10.8 .3 8',
  6: 'M5.7 .3C2.4 1.2 .4 4 .4 6.8C.4 11.1 6.8 11.1 6.8 6.8C6.8 2.9 .9 2.7 .5 6.2',
  7: 'M.3 0L6.6 0L2.6 10',
  8: 'M3.5 4.7C-.3 4.7 -.3 0 3.5 0C7.3 0 7.3 4.7 3.5 4.7C-1 4.7 -1 10 3.5 10C8 10 8 4.7 3.5 4.7',
  9: 'M1.3 9.7C4.6 8.8 6.6 6 6.6 3.2C6.6 -1.1 .2 -1.1 .2 3.2C.2 7.1 6.1 7.3 6.5 3.8',
};

/** The sign in the bubble if the name does not begin with a Latin letter or a digit. */
const dots = 'M0 5L.01 5M4.2 5L4.21 5M8.4 5L8.41 5';

const unit = 12.5;
const strokeWidth = 2.3;

/** The first character of a name, as people see it. */
const initialOf = (name: string): string => [...new Intl.Segmenter().segment(name)][0]?.segment ?? '';

/** The strokes of the initial of a name, without its accents; undefined for other scripts. */
const strokesOf = (name: string): string | undefined => strokes[initialOf(name).normalize('NFD').charAt(0).toUpperCase()];

/** Numbers of a path at even places are from left to right. */
const widthOf = (path: string): number => Math.max(...numbersIn(path).filter((_, at) => at % 2 === 0));

const numbersIn = (path: string): number[] => (path.match(/-?(\d+\.?\d*|\.\d+)/g) ?? []).map(Number);

/** Moves a path to the middle of the bubble, in the size of the drawing. */
function inBubble(path: string): string {
  const left = 256 - (widthOf(path) * unit) / 2;
  let at = 0;
  const place = (number: string) => {
    const from = at++ % 2 === 0 ? left : 242 - 5 * unit;
    return String(Math.round((Number(number) * unit + from) * 10) / 10);
  };
  return path.replaceAll(/-?(\d+\.?\d*|\.\d+)/g, place);
}

type Brand = { brandName: string; brandColor: string };

/** The icon as SVG. In scripts without strokes here, its letter is a text. */
export function svgIcon({ brandName, brandColor }: Brand): string {
  const path = strokesOf(brandName);
  const letter =
    path === undefined
      ? html`<text x="256" y="302" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="170" fill="${brandColor}">${initialOf(brandName)}</text>`
      : html`<path d="${inBubble(path)}" fill="none" stroke="${brandColor}" stroke-width="${String(strokeWidth * unit)}" stroke-linecap="round" stroke-linejoin="round"/>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><path d="M0 0h512v512H0z" fill="${brandColor}"/><path d="${bubble}z" fill="#fff"/>${letter}</svg>`
    .source;
}

type IconShape = {
  size: number;
  /**
   * With round corners and nothing beyond them; otherwise up to the edges, for systems that cut it
   * themselves.
   */
  isRound: boolean;
  /** Within the circle that every system leaves of an icon. */
  isMaskable?: boolean;
};

/** The icon as PNG, for systems that take no SVG. */
export function pngIcon({ brandName, brandColor }: Brand, { size, isRound, isMaskable = false }: IconShape): Buffer {
  const shapes: Shape[] = [
    { path: bubble, color: '#ffffff' },
    { path: inBubble(strokesOf(brandName) ?? dots), color: brandColor, strokeWidth: strokeWidth * unit },
  ];
  const scale = isMaskable ? 0.78 : 1;
  return drawPng({ size, side, background: brandColor, radius: isRound ? side * 0.22 : 0, scale, shapes });
}
