import { conflict, type Refusal } from '../base/errors.ts';

/** The names of those who run the service, of the service itself, and of those whom a mention could address. */
const reserved: ReadonlySet<string> = new Set(
  [
    'abuse admin administrator help helpdesk hostmaster info mod moderator noreply official operator owner postmaster root',
    'security staff superuser support sysadmin team webmaster',
    'api bot chat chatservice daemon deleted guest nobody server service system unknown user',
    'all anyone channel everybody everyone group here me members moderators myself owners room self',
  ].flatMap((names) => names.split(' ')),
);

export const usernameReserved: Refusal = () => conflict('username_reserved', 'The username is reserved.');

/**
 * Whether only administrators can give this name to an account, because readers would take it for the service, for
 * those who run it, or for a group of people. Dots, underscores and hyphens make no difference.
 */
export const isReserved = (username: string): boolean => reserved.has(username.replace(/[._-]/g, ''));
