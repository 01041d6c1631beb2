import { noSuchPath } from '../lib/http/base-chain.ts';

/** Every path that no other function has. */
export const handler = noSuchPath();
