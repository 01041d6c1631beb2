import type { Language } from '../i18n/languages.ts';

/** The settings that the server passes to the page in a `<meta>`, without a request or a script. */
type Settings = {
  name: string;
  color: string;
  version: string;
  registration: 'open' | 'invited' | 'closed';
  roomCreation: 'admins' | 'users';
  /** The members of a room who may invite and add people. */
  invitations: 'members' | 'moderators';
  emailConfirmation: 'off' | 'required';
  sendsEmail: boolean;
  docs: string;
  /** The identity providers for sign-in. */
  oidc?: { id: string; name: string }[];
  /** False if passwords are turned off. */
  takesPasswords?: false;
  /** The origin where passkeys work, if they are turned on. */
  passkeys?: string;
  /** Set if agents can only read, or cannot connect. */
  mcp?: 'read' | 'off';
  /** The languages of the page. The first is the default if a browser asks for none of them. */
  languages: readonly Language[];
};

const fallback: Settings = {
  name: 'Chat',
  color: '#0f766e',
  version: '',
  registration: 'open',
  roomCreation: 'users',
  invitations: 'members',
  emailConfirmation: 'off',
  sendsEmail: false,
  docs: '/docs',
  languages: ['en'],
};

/** The settings of the service that this page came from. */
export const settings: Settings = { ...fallback, ...JSON.parse(read() ?? '{}') };

function read(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name="chat"]')?.content;
}
