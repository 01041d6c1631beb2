import type { Vitest } from 'vitest/node';

/** Whether only the fast tests run: they call the functions in process, and leave a part of the contract to the thorough ones. */
export const isFastAlone = ({ projects }: Pick<Vitest, 'projects'>): boolean =>
  projects.every(({ name }) => name.startsWith('fast'));
