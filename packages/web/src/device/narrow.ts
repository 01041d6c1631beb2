import { signal } from '@preact/signals';

// As in the style: no room for a room and what stands beside it.
const query = matchMedia('(width < 64rem)');

/** Whether only one of a room and what stands beside it is shown at a time. */
export const isNarrow = signal(query.matches);

query.addEventListener('change', () => {
  isNarrow.value = query.matches;
});
