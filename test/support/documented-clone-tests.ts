import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandsMarked, type Mark, titleOf } from './document-blocks.ts';
import { type Clone, makeClone, type Toolchain } from './documented-clone.ts';

/**
 * Runs every block with these marks, in the order of the pages, because blocks use the results of
 * earlier ones.
 */
export function testBlocks(marks: Mark[], toolchain?: () => Promise<Toolchain>): void {
  let clone: Clone;
  beforeAll(async () => {
    clone = await makeClone(await toolchain?.());
  });
  afterAll(() => clone?.close());

  const blocks = commandsMarked(...marks);
  it('the pages have commands to run', () => expect(blocks.length).toBeGreaterThan(3));

  it.each(blocks.map((block) => [titleOf(block), block] as const))('a documented command succeeds: %s', async (_title, block) => {
    const { code, screen } = await clone.run(block);
    expect(code, screen).toBe(0);
    // A newcomer does not have to read more than this before the service answers.
    if (/npm (start|run serve)$/m.test(block.code)) expect(screen.trim().split('\n').length, screen).toBeLessThanOrEqual(12);
    if (block.output !== undefined)
      expect(withoutWhatDiffers(JSON.parse(screen.trim().split('\n').at(-1) ?? ''))).toEqual(withoutWhatDiffers(block.output));
  });
}

/**
 * Replaces values that are always different: ids, tickets, times, and the address of WebSockets.
 */
const withoutWhatDiffers = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value).replaceAll(
      /"(?:[0-9a-f]{24}|[a-z0-9]{32}|\d{4}-\d\d-\d\dT[\d:.]+Z|\/socket|ws:\/\/localhost:\d+)"/g,
      '"..."',
    ),
  );
