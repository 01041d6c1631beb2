import { createHash } from 'node:crypto';

/** How the names of the files begin that have the e-mails to an address. */
export const mailFile = (address: string): string => createHash('sha256').update(address).digest('hex');
