import type { Page } from 'playwright-core';

/**
 * Scrolls through the open room from its position to its start, back to its end, and so on. Stops
 * when `count` messages have come into the window; resolves to their number. Each step goes as far
 * as messages are loaded, and waits for the next ones.
 */
export const scrollThrough = (page: Page, count: number): Promise<number> =>
  page.evaluate(`(async () => {
    const box = document.querySelector('#messages');
    const seqs = () => [...box.querySelectorAll('li[data-seq]')].map(({ dataset }) => Number(dataset.seq));
    const isAtStart = () => box.querySelector('.beginning') !== null;
    const isAtEnd = () => !box.lastElementChild.matches('.loading');
    const edge = () => (isUp ? seqs()[0] : seqs().at(-1));
    let isUp = true;
    let scrolled = 0;
    while (scrolled < ${count}) {
      const before = edge();
      const until = Date.now() + 60_000;
      while (edge() === before && !(isUp ? isAtStart() : isAtEnd())) {
        if (Date.now() > until) throw new Error('No message came ' + (isUp ? 'before ' : 'after ') + before);
        box.scrollTop = isUp ? 0 : box.scrollHeight;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      scrolled += Math.abs(edge() - before);
      if (isUp ? isAtStart() : isAtEnd()) isUp = !isUp;
    }
    return scrolled;
  })()`);

/**
 * The used bytes of a page's heap after a garbage collection. It first waits 21 seconds, because
 * the timer that ends dead requests refers to each for 20 seconds.
 */
export async function heapAtRest(page: Page): Promise<number> {
  await page.waitForTimeout(21_000);
  const session = await page.context().newCDPSession(page);
  try {
    // One collection sets things free that let the next one free more.
    for (let turn = 0; turn < 3; turn++) await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize;
  } finally {
    await session.detach();
  }
}
