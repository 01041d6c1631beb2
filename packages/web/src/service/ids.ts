import type { Id } from './api.ts';

/** An id as the page uses it: 24 hexadecimal characters. */
export const idOf = ({ _id }: { _id: Id }): string => _id.$oid;
