import { noSuchPath } from '../lib/chain.ts';

/** Every path that no other function answers. */
export const handler = noSuchPath();
