import { signal } from '@preact/signals';

// As in the style: too narrow for a room with a panel beside it.
const query = matchMedia('(width < 64rem)');

/** True if a room and the panel beside it are shown one at a time. */
export const isNarrow = signal(query.matches);

query.addEventListener('change', () => {
  isNarrow.value = query.matches;
});
