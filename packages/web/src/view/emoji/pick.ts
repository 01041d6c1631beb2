import { lateCode } from '../../device/late-code.ts';

const loadEmojiPicker = lateCode(() => import('./emoji-picker.tsx'));

/** Opens the list of emoji at an element. */
export async function pickEmoji(opener: HTMLElement, onPick: (emoji: string) => void): Promise<void> {
  const { openEmojiPicker } = await loadEmojiPicker();
  openEmojiPicker(opener, onPick);
}
