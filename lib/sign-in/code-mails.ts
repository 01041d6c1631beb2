import { about, oneOf, type Values } from '../api/parameters.ts';
import { tooManyRequests } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { countMail } from '../credentials/anonymous-limits.ts';
import { createCode } from '../credentials/codes.ts';
import { passwordRefusals, requirePasswords } from '../credentials/password-sign-in.ts';
import { email, emailKey, emailKeys } from '../identity/account-names.ts';
import { noMail, requireMail, sendMail } from '../net/mail.ts';
import { config } from '../settings/config.ts';
import { codeFor, passwordLink } from './password-codes.ts';

/** The recipient and the purpose of a code. */
export const codeRequest = {
  email: about('The address to send the code to.', email),
  purpose: about('`password` for a new password, `address` for a sign-up or a new address.', oneOf('password', 'address')),
};

export const codeRequestRefusals = [...passwordRefusals, noMail, tooManyRequests];

/**
 * Sends a one-time code to an address. Only the reader of the e-mail learns whether an account has
 * the address. In either case, the service does the same look-up, stores a code and sends one
 * e-mail. So the duration and the response are the same.
 */
export async function sendCode({ email: to, purpose }: Values<typeof codeRequest>, source: string): Promise<void> {
  if (purpose === 'password') requirePasswords();
  requireMail();
  await countMail(emailKey(to), purpose, source);
  const user = await users.findOne({ email_key: { $in: emailKeys(to) } });
  if (purpose === 'password') {
    const account = user?.is_active && !user.is_bot ? user : undefined;
    const { code } = await createCode(account ? codeFor(account) : { email: to, account: null });
    // The account's spelling of the address. Another spelling that compares as equal may belong to
    // somebody else.
    await sendMail({ to: account?.email ?? to, ...(account ? newPasswordMail(account.username, code) : noAccountMail()) });
  } else {
    const { code } = await createCode({ email: to, ...(user && { account: null }) });
    await sendMail({ to: user?.email ?? to, ...(user ? accountExistsMail() : confirmationMail(to, code)) });
  }
}

const newPasswordMail = (username: string, code: string) => ({
  subject: `A new password for ${config.brandName}`,
  text: `Someone, probably you, asked for a new password for your account ${username}.

To set it, open this link within an hour:

${passwordLink(code)}

If it was not you, ignore this e-mail: your password has not changed.
`,
});

const noAccountMail = () => ({
  subject: `A new password for ${config.brandName}`,
  text: `Someone, probably you, asked for a new password for an account with this e-mail address.

No account with this address can be used. If it was you, try another address of yours. If it was not you, ignore this e-mail.
`,
});

const confirmationMail = (to: string, code: string) => ({
  subject: `Your e-mail address for ${config.brandName}`,
  text: `Someone, probably you, gave this e-mail address for an account. To sign up with it, open this link within an hour:

${config.publicUrl}/signup#${new URLSearchParams({ code, email: to })}

The code in this link, for programs and for existing accounts:

${code}

If it was not you, ignore this e-mail: nobody can use your address without the code.
`,
});

const accountExistsMail = () => ({
  subject: `Your e-mail address for ${config.brandName}`,
  text: `Someone, probably you, gave this e-mail address for an account. An account with this address already exists. Sign in at

${config.publicUrl}/login

If you forgot its password, you can set a new one there. If it was not you, ignore this e-mail.
`,
});
