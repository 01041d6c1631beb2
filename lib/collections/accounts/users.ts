import type { QuietHours } from 'chat-service-rules/quiet-hours';
import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import { scoped } from '../../database/scoped.ts';

/** An account. A deleted one keeps its `_id`, which its messages refer to, and loses everything that tells whose it was. */
export type UserDocument = {
  _id: ObjectId;
  username: string;
  name?: string;
  /** The version of the picture that `avatars` has. */
  avatar?: string;
  status?: StatusDocument;
  /** Until when the user wants no notifications. */
  quiet_until?: Date;
  /** In which hours of each day the user wants no notifications. */
  quiet_hours?: QuietHours;
  /** Only there, and true, when notifications are not to have the text of messages. */
  hides_push_text?: true;
  /** Only there, and false, when the user wants no e-mails about what is unread. */
  email_digest?: false;
  /** Only there when others are not to be told when the user is active. */
  shows_presence?: false;
  /** By which administrators find the account: `identity/beginnings.ts`. Written together with the names, and with the address. */
  name_beginnings?: string[];
  email_beginnings?: string[];
  /** As it was typed, and below as it is compared; a bot has none. */
  email?: string;
  email_key?: string;
  /** Only there for an account that has a password: one of an identity provider's people need not have any. */
  password_hash?: string;
  /** The address, to the letter, for which somebody has shown to read its e-mail. It counts as long as it is `email`. */
  confirmed_email?: string;
  /** The person at an identity provider who signs in to the account. */
  identity?: IdentityDocument;
  /** Only there for an account that an import of another chat has made. */
  imported?: ImportedDocument;
  is_admin: boolean;
  is_active: boolean;
  created_at: Date;
  /** Sessions of an older generation are over: one write ends them all, wherever they are used. */
  session_generation: number;
  /** The account was made before there was any other: `accounts/setup.ts`. */
  is_first?: true;
  /** Set while an administrator is about to give that up; see `accounts/last-admin.ts`. */
  leaving?: { id: ObjectId; at: Date };
  /** The users whose conversations the user does not want to see. */
  blocked?: ObjectId[];
  /** Asked for at a login, beside the password. */
  second_factor?: SecondFactorDocument;
  /** A second factor that was begun and not yet confirmed: its encrypted secret. */
  pending_second_factor?: { secret: string; expires_at: Date };
  /** Passkeys of an older generation have ended: one write ends them all. Absent before the first reset. */
  passkey_generation?: number;
  /** How many messages and changes a second the account may make for long; only there when it is not the setting's. */
  writes_per_second?: number;
  /** Only there, and true, for an account that is a program's: it is marked wherever it is shown. */
  is_bot?: true;
  /** Who answers for a bot, and manages its tokens; one without belongs to the administrators. */
  owner?: ObjectId;
  /** The room of the webhook that speaks by this account. It has a name and nothing else: nobody signs in with it. */
  webhook_of?: ObjectId;
  /** Only there, and true, while no message of the account is deleted because of its age; also of a deleted account. */
  is_held?: true;
  deleted_at?: Date;
  /** The account is deleted, but still in some rooms. */
  has_leftovers?: true;
};

/** A second factor by TOTP. */
export type SecondFactorDocument = {
  /** Encrypted by `SECRET_KEY`, for this account alone. */
  secret: string;
  since: Date;
  /** The step of the code that was used last: no code of it, or of an earlier one, is accepted again. */
  last_step: number;
  /** The SHA-256 of the recovery codes that are left, in hexadecimal. */
  recovery_codes: string[];
};

/** Where an account of an import comes from. */
export type ImportedDocument = {
  import: ObjectId;
  /** Whether the source had it as active at the last import: a later change there counts here as long as nobody uses it. */
  was_active: boolean;
  /** Only there, and true, if the archive names somebody whom it does not list. */
  is_unlisted?: true;
  /** Only there, and true, until somebody gets a way to use the account. */
  is_unclaimed?: true;
};

/** A person at an identity provider: `subject` is unique there, and never given to another person. */
export type IdentityDocument = {
  issuer: string;
  subject: string;
  /** The provider's group made the account an administrator, which ends with the membership in the group. */
  gave_admin?: true;
};

/** What a user says of themselves, until a time or for good. */
export type StatusDocument = { emoji?: string; text: string; until?: Date };

// Sparse, because a deleted account has neither name nor address, and leaves both to others; a program's has no address.
export const userIndexes: IndexDescription[] = [
  { key: { username: 1 }, name: 'username', unique: true, sparse: true },
  { key: { email_key: 1 }, name: 'email', unique: true, sparse: true },
  { key: { 'identity.subject': 1, 'identity.issuer': 1 }, name: 'identity', unique: true, sparse: true },
  { key: { is_first: 1 }, name: 'first', unique: true, sparse: true },
  { key: { is_admin: 1 }, name: 'is_admin', partialFilterExpression: { is_admin: true } },
  { key: { has_leftovers: 1 }, name: 'has_leftovers', sparse: true },
  { key: { webhook_of: 1 }, name: 'webhook_of', sparse: true },
  { key: { owner: 1 }, name: 'owner', sparse: true },
  { key: { 'imported.import': 1 }, name: 'imported.import', sparse: true },
  {
    key: { name_beginnings: 1, _id: 1 },
    name: 'name_beginnings, _id',
    partialFilterExpression: { name_beginnings: { $exists: true } },
  },
  {
    key: { email_beginnings: 1, _id: 1 },
    name: 'email_beginnings, _id',
    partialFilterExpression: { email_beginnings: { $exists: true } },
  },
  {
    key: { confirmed_email: 1, _id: 1 },
    name: 'confirmed_email',
    partialFilterExpression: { confirmed_email: { $exists: true } },
  },
];

/** The accounts of people and programs who can sign in: neither deleted, nor those by which webhooks speak. */
export const users = scoped(collection<Omit<UserDocument, '_id'>>('users'), {
  deleted_at: { $exists: false },
  webhook_of: { $exists: false },
});

/** An account by which a webhook speaks: it has what its messages show of it. */
export type WebhookAccount = Required<Pick<UserDocument, '_id' | 'username' | 'name' | 'is_bot' | 'webhook_of' | 'created_at'>>;

/** The accounts by which webhooks speak. */
export const webhookAccounts = collection<Omit<WebhookAccount, '_id'>>('users');
