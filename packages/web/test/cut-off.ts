import type { Page } from 'playwright-core';

/** Texts and controls that are partly hidden, and texts so narrow that their words are broken. */
export const cutOff = (page: Page): Promise<string[]> => page.evaluate<string[]>(`(${findCutOff})()`);

// Runs within the page. Content that scrolls sideways counts as visible, and an ellipsis is
// intended. If its font is missing, an emoji is as wide as all its parts together.
const findCutOff = `() => {
  const found = [];
  const report = (element, what) => {
    const text = (element.textContent || element.value || '').trim().slice(0, 30);
    found.push(what + ': ' + element.tagName.toLowerCase() + '.' + element.className + ' ' + text);
  };
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('.visually-hidden, .skip, .emoji-grid');
  const limitsOf = (element) => {
    let [left, right] = [0, document.documentElement.clientWidth];
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const { overflowX, textOverflow, position } = getComputedStyle(at);
      const isMeant = at.matches('pre, .table, .tabs') || (textOverflow === 'ellipsis' && overflowX !== 'visible');
      if (isMeant) return [-Infinity, Infinity];
      if (overflowX !== 'visible') {
        const box = at.getBoundingClientRect();
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      }
      if (position === 'fixed') break;
    }
    return [left, right];
  };
  const isBroken = (text, boxes) => {
    const words = text.split(/[\\s-]+/);
    const lines = new Set(boxes.map(({ top }) => Math.round(top))).size;
    // Addresses and names of files have no place to be broken at.
    return lines > words.length && words.every((word) => word.length < 13 && !/\\../.test(word));
  };
  const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  for (const element of top.querySelectorAll('*')) {
    const isControl = element.matches('button, input, select, textarea, img');
    const texts = [...element.childNodes].filter(({ nodeType, data }) => nodeType === 3 && data.trim() !== '');
    if ((!isControl && texts.length === 0) || !isSeen(element)) continue;
    const boxes = isControl ? [element.getBoundingClientRect()] : [];
    for (const text of texts) {
      const range = document.createRange();
      range.selectNodeContents(text);
      const own = [...range.getClientRects()];
      if (isBroken(text.data.trim(), own)) report(element, 'broken');
      boxes.push(...own);
    }
    const [left, right] = limitsOf(isControl ? element.parentElement : element);
    if (boxes.some((box) => box.width > 0 && (box.left < left - 1 || box.right > right + 1))) report(element, 'cut off');
  }
  return found;
}`;
