import { conflict, type Refusal } from '../base/errors.ts';

/**
 * Names that suggest the operators, the service itself, or a group that a mention could address.
 */
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
 * Returns true if only administrators can give an account this name. Readers would mistake it for
 * the service, its operators or a group. Dots, underscores and hyphens are ignored.
 */
export const isReserved = (username: string): boolean => reserved.has(username.replace(/[._-]/g, ''));
