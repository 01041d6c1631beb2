import { noSuchPath } from '../lib/http/base-chain.ts';

/** Every path that no other function answers. */
export const handler = noSuchPath();
