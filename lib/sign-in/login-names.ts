import { blankCharacters, normaliseCredential } from 'chat-service-rules/texts';
import { anyText, type Parameter } from '../api/parameters.ts';
import type { UserDocument } from '../collections/accounts/users.ts';
import { emailKeys } from '../identity/account-names.ts';

/** The user who logs in: a username, perhaps with `@`, or an e-mail address. */
export const loginName: Parameter<string> = {
  read: (sent) => anyText.read(typeof sent === 'string' ? normaliseCredential(sent).replace(/^@(?=.)/, '') : sent),
  about: 'The username or the e-mail address of the account.',
  rule: anyText.rule,
  schema: { type: 'string', pattern: `[^${blankCharacters}]` },
};

/** The filter for the account of a login name. */
export const isCalled = (name: string) =>
  name.includes('@') ? { email_key: { $in: emailKeys(name) } } : { username: name.toLowerCase() };

/** True if a login name means this account. */
export const namesAccount = (name: string, { username, email_key }: Pick<UserDocument, 'username' | 'email_key'>): boolean =>
  name.includes('@') ? email_key !== undefined && emailKeys(name).includes(email_key) : username === name.toLowerCase();
