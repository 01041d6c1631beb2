import type { Vitest } from 'vitest/node';

/** Whether only the fast tests run: they call the functions in process. */
export const isFastAlone = ({ projects }: Pick<Vitest, 'projects'>): boolean =>
  projects.every(({ name }) => name.startsWith('fast'));

/** Whether the fast and the thorough tests run, which cover the contract together. */
export const isWholeSuite = ({ projects }: Pick<Vitest, 'projects'>): boolean =>
  ['fast', 'thorough'].every((name) => projects.some((project) => project.name === name));
