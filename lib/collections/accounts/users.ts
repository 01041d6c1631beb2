import type { QuietHours } from 'chat-service-rules/quiet-hours';
import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import { scoped } from '../../database/scoped.ts';

/**
 * An account. A deleted account keeps its `_id`, which its messages refer to, and loses all
 * personal data.
 */
export type UserDocument = {
  _id: ObjectId;
  username: string;
  name?: string;
  /** The version of the picture in `avatars`. */
  avatar?: string;
  status?: StatusDocument;
  /** The user wants no notifications before this time. */
  quiet_until?: Date;
  /** The daily hours in which the user wants no notifications. */
  quiet_hours?: QuietHours;
  /** Set if notifications must not contain the text of messages. */
  hides_push_text?: true;
  /** Set if the user does not want e-mails about unread messages. */
  email_digest?: false;
  /** Set if others must not see when the user is active. */
  shows_presence?: false;
  /**
   * The search index of administrators (`identity/beginnings.ts`). Each is written together with
   * the names or the address.
   */
  name_beginnings?: string[];
  email_beginnings?: string[];
  /** `email` is the address as typed, `email_key` the form for comparisons. Absent for bots. */
  email?: string;
  email_key?: string;
  /**
   * Absent for an account without a password, such as one that signs in through an identity
   * provider.
   */
  password_hash?: string;
  /** The exact address that the owner has confirmed. It counts only while it equals `email`. */
  confirmed_email?: string;
  /** The identity at a provider that signs in to the account. */
  identity?: IdentityDocument;
  /** Set for an account from an import of another chat. */
  imported?: ImportedDocument;
  is_admin: boolean;
  is_active: boolean;
  created_at: Date;
  /** Sessions of an older generation are invalid. So one write ends all sessions of the account. */
  session_generation: number;
  /** The account was the first of the service: `accounts/setup.ts`. */
  is_first?: true;
  /** Set while an administrator is about to step down; see `accounts/last-admin.ts`. */
  leaving?: { id: ObjectId; at: Date };
  /** The users whose conversations are hidden from this user. */
  blocked?: ObjectId[];
  /** Required at a login, in addition to the password. */
  second_factor?: SecondFactorDocument;
  /** The encrypted secret of a second factor that is not confirmed yet. */
  pending_second_factor?: { secret: string; expires_at: Date };
  /**
   * Passkeys of an older generation are invalid, so one write ends them all. Absent before the
   * first reset.
   */
  passkey_generation?: number;
  /**
   * The account's own sustained rate of messages and changes, per second. Absent if the default
   * applies.
   */
  writes_per_second?: number;
  /** Set for a bot, which is marked as one everywhere. */
  is_bot?: true;
  /**
   * The user who is responsible for a bot and manages its tokens. A bot without an owner belongs to
   * the administrators.
   */
  owner?: ObjectId;
  /**
   * The room of the webhook that posts as this account. Such an account has a name only, and cannot
   * sign in.
   */
  webhook_of?: ObjectId;
  /**
   * Set while the account is on hold: its messages do not expire. Also possible for a deleted
   * account.
   */
  is_held?: true;
  deleted_at?: Date;
  /** The account is deleted, but is still a member of some rooms. */
  has_leftovers?: true;
};

/** A second factor by TOTP. */
export type SecondFactorDocument = {
  /** Encrypted with `SECRET_KEY`, for this account only. */
  secret: string;
  since: Date;
  /** The time step of the last code. Codes of this step or an earlier one are refused. */
  last_step: number;
  /** The SHA-256 of the unused recovery codes, in hexadecimal. */
  recovery_codes: string[];
};

/** The origin of an imported account. */
export type ImportedDocument = {
  import: ObjectId;
  /**
   * The `is_active` of the source at the last import. A later import updates the account if the
   * source has changed and nobody has used the account.
   */
  was_active: boolean;
  /** Set if the archive refers to this person without listing them. */
  is_unlisted?: true;
  /** Set until somebody gets access to the account. */
  is_unclaimed?: true;
};

/** A person at an identity provider: `subject` is unique there, and never reassigned. */
export type IdentityDocument = {
  issuer: string;
  subject: string;
  /**
   * A group of the provider made the account an administrator. This ends with the membership in the
   * group.
   */
  gave_admin?: true;
};

/** A user's status text, until a time or for good. */
export type StatusDocument = { emoji?: string; text: string; until?: Date };

// Sparse: deleted accounts lose their name and address, which become free. Bots lack an address.
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

/** The accounts of people and bots who can sign in: not deleted, and not those of webhooks. */
export const users = scoped(collection<Omit<UserDocument, '_id'>>('users'), {
  deleted_at: { $exists: false },
  webhook_of: { $exists: false },
});

/** The account that a webhook posts as. It has the fields that its messages show. */
export type WebhookAccount = Required<Pick<UserDocument, '_id' | 'username' | 'name' | 'is_bot' | 'webhook_of' | 'created_at'>>;

/** The accounts that webhooks post as. */
export const webhookAccounts = collection<Omit<WebhookAccount, '_id'>>('users');
