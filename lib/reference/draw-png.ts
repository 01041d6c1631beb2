import { crc32, deflateSync } from 'node:zlib';

/** A filled shape, or a line with round ends: a path of absolute M, L and C. */
export type Shape = { path: string; color: string; strokeWidth?: number };

type Picture = {
  /** Pixels of a side of the image, and units of a side of the drawing. */
  size: number;
  side: number;
  background: string;
  /** The radius of the corners, in units. */
  radius: number;
  /** How large the shapes are drawn, around the middle. */
  scale: number;
  shapes: readonly Shape[];
};

/**
 * Pixels of a side of the tiles that the image is drawn in: most lie within one shape.
 */
const tile = 16;

/** Draws shapes on a square, with smooth edges, as a PNG. */
export function drawPng({ size, side, background, radius, scale, shapes }: Picture): Buffer {
  const rows = Buffer.alloc(size * (1 + 4 * size));
  const unit = side / size;
  const toInner = (at: number) => (at - side / 2) / scale + side / 2;
  const base = rgbOf(background);
  for (let x = 0; x < size; x++) rows.set([...base, 255], placeOf(x, 0, size));
  for (let y = 1; y < size; y++) rows.copyWithin(y * (1 + 4 * size), 0, 1 + 4 * size);

  for (const { path, color, strokeWidth } of shapes) {
    const lines = linesOf(path);
    const over = rgbOf(color);
    const depthAt = (x: number, y: number) =>
      (depthOf(lines, toInner((x + 0.5) * unit), toInner((y + 0.5) * unit), strokeWidth) * scale) / unit;
    paint(size, depthAt, (place, part) => {
      for (let at = 0; at < 3; at++) rows[place + at] = mix(rows[place + at] ?? 0, over[at] ?? 0, part);
    });
  }
  if (radius > 0)
    for (let y = 0; y < size; y++)
      for (let x = 0; x < size; x++) {
        const depth = depthInSquare((x + 0.5) * unit, (y + 0.5) * unit, side, radius) / unit;
        rows[placeOf(x, y, size) + 3] = Math.round(255 * coverageOf(depth));
      }
  return encodePng({ width: size, height: size, hasAlpha: true }, rows);
}

/** The size of a picture, and whether each pixel has an alpha byte after red, green and blue. */
type PngFormat = { width: number; height: number; hasAlpha: boolean };

/** Encodes the rows of a picture as PNG. Each row begins with the number of its filter. */
export function encodePng({ width, height, hasAlpha }: PngFormat, rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each part of a pixel.
  header.set([8, hasAlpha ? 6 : 2], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND')]);
}

/** The place of a pixel in the rows. Each row begins with the number of its filter. */
const placeOf = (x: number, y: number, size: number): number => y * (1 + 4 * size) + 1 + 4 * x;

/** Calls `draw` for each pixel that a shape covers, in part or as a whole. */
function paint(size: number, depthAt: (x: number, y: number) => number, draw: (place: number, part: number) => void): void {
  for (let top = 0; top < size; top += tile)
    for (let left = 0; left < size; left += tile) {
      const middle = depthAt(left + tile / 2, top + tile / 2);
      // An edge is nowhere in a tile whose middle is farther from it than its corners.
      if (middle < -tile) continue;
      const isWhole = middle > tile;
      for (let y = top; y < Math.min(size, top + tile); y++)
        for (let x = left; x < Math.min(size, left + tile); x++) {
          const part = isWhole ? 1 : coverageOf(depthAt(x, y));
          if (part > 0) draw(placeOf(x, y, size), part);
        }
    }
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const rgbOf = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

const mix = (under: number, over: number, part: number): number => Math.round(under + (over - under) * part);

/** How much of a pixel a shape covers whose edge is so many pixels away from its middle. */
const coverageOf = (depth: number): number => Math.min(1, Math.max(0, depth + 0.5));

/** How many straight lines stand for a curve. */
const steps = 16;

/** The straight lines of a path: the coordinates of their ends, four numbers each. */
function linesOf(path: string): Float64Array {
  const lines: number[] = [];
  let [atX, atY] = [0, 0];
  const lineTo = (x: number, y: number) => {
    lines.push(atX, atY, x, y);
    [atX, atY] = [x, y];
  };
  for (const [, command, parameters = ''] of path.matchAll(/([MLC])([^MLC]*)/g)) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = (parameters.match(/-?(\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    if (command === 'M') [atX, atY] = [x1, y1];
    else if (command === 'L') lineTo(x1, y1);
    else {
      const [x0, y0] = [atX, atY];
      for (let step = 1; step <= steps; step++) {
        const t = step / steps;
        lineTo(onCurve(t, x0, x1, x2, x3), onCurve(t, y0, y1, y2, y3));
      }
    }
  }
  return Float64Array.from(lines);
}

/** A coordinate of a cubic Bézier curve. */
const onCurve = (t: number, from: number, first: number, second: number, to: number): number =>
  (1 - t) ** 3 * from + 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t ** 2 * second + t ** 3 * to;

/** How far a point is within a closed shape or a line of some width; negative outside of it. */
function depthOf(lines: Float64Array, x: number, y: number, strokeWidth: number | undefined): number {
  let least = Number.POSITIVE_INFINITY;
  let isInside = false;
  for (let at = 0; at < lines.length; at += 4) {
    const ax = lines[at] as number;
    const ay = lines[at + 1] as number;
    const dx = (lines[at + 2] as number) - ax;
    const dy = (lines[at + 3] as number) - ay;
    const length = dx * dx + dy * dy;
    const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
    const ox = x - ax - t * dx;
    const oy = y - ay - t * dy;
    least = Math.min(least, ox * ox + oy * oy);
    if (ay > y !== ay + dy > y && x < ax + ((y - ay) / dy) * dx) isInside = !isInside;
  }
  const distance = Math.sqrt(least);
  if (strokeWidth !== undefined) return strokeWidth / 2 - distance;
  return isInside ? distance : -distance;
}

/** How far a point is within a square with round corners. */
function depthInSquare(x: number, y: number, side: number, radius: number): number {
  const ox = Math.abs(x - side / 2) - side / 2 + radius;
  const oy = Math.abs(y - side / 2) - side / 2 + radius;
  return radius - Math.hypot(Math.max(0, ox), Math.max(0, oy)) - Math.min(0, Math.max(ox, oy));
}
