import type { ToolResult } from './tool.ts';

/** The most bytes that a result has, as JSON: models read it whole. */
export const mostBytes = 100_000;

/**
 * A page with one message fits: 10,000 characters of at most 4 bytes, once as JSON and once as
 * text.
 */
const leastItems = 1;

/**
 * Makes a result of at most `mostBytes`. If a page is too large, it reads one with half as many
 * items. The cursor of that page then leads to the rest.
 */
export async function fitResult<Shown extends object>(
  limit: number,
  read: (limit: number) => Promise<ToolResult<Shown>>,
): Promise<ToolResult<Shown>> {
  const result = await read(limit);
  return limit <= leastItems || bytesOf(result) <= mostBytes ? result : fitResult(Math.floor(limit / 2), read);
}

/** The size of a result in the answer, without its pictures, in bytes. */
export const bytesOf = ({ structured, text }: ToolResult<object>): number =>
  Buffer.byteLength(JSON.stringify(structured)) + Buffer.byteLength(JSON.stringify(text));
