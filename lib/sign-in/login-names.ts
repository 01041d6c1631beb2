import { blankCharacters, normaliseCredential } from 'chat-service-rules/texts';
import { anyText, type Parameter } from '../api/parameters.ts';
import type { UserDocument } from '../collections/accounts/users.ts';
import { emailKeys } from '../identity/users.ts';

/** The user who logs in, by username, also as a mention, or by e-mail address. */
export const loginName: Parameter<string> = {
  read: (sent) => anyText.read(typeof sent === 'string' ? normaliseCredential(sent).replace(/^@(?=.)/, '') : sent),
  about: 'The username or the e-mail address of the account.',
  rule: anyText.rule,
  schema: { type: 'string', pattern: `[^${blankCharacters}]` },
};

/** The account that is called by a name of a login, as a filter. */
export const isCalled = (name: string) =>
  name.includes('@') ? { email_key: { $in: emailKeys(name) } } : { username: name.toLowerCase() };

/** Whether it is this account that is called by a name of a login. */
export const namesAccount = (name: string, { username, email_key }: Pick<UserDocument, 'username' | 'email_key'>): boolean =>
  name.includes('@') ? email_key !== undefined && emailKeys(name).includes(email_key) : username === name.toLowerCase();
