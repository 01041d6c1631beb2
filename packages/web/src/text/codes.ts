import { signal } from '@preact/signals';

const emojiByCode = signal<ReadonlyMap<string, string> | undefined>(undefined);
let isLoading = false;

/**
 * The emoji of a code such as `:smile:`. The list of them is loaded with the first code that is
 * shown; until then, no code is drawn.
 */
export function emojiOf(code: string): string | undefined {
  if (!emojiByCode.value && !isLoading) void load();
  return emojiByCode.value?.get(code.toLowerCase());
}

async function load(): Promise<void> {
  isLoading = true;
  try {
    const { emojiGroups } = await import('./emoji.ts');
    const entries = emojiGroups.flat().flatMap(({ emoji, codes }) => codes.map((one) => [`:${one}:`, emoji] as const));
    emojiByCode.value = new Map(entries);
  } catch {
    // Without a connection, the code is shown without colours; the next one tries again.
  }
  isLoading = false;
}
