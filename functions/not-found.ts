import { noSuchPath } from '../lib/endpoint.ts';

/** Every path that no other function answers. */
export const handler = noSuchPath();
