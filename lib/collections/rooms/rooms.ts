import type { Role } from 'chat-service-rules/permissions';
import type { IndexDescription, ObjectId } from 'mongodb';
import type { IdempotencyFields } from '../../api/idempotency.ts';
import { collection } from '../../database/bounded.ts';
import { scoped } from '../../database/scoped.ts';
import type { SentEventType } from './events.ts';
import type { SigningSecret } from './signing-secrets.ts';

/** A member, as its room stores it. */
export type MemberDocument = {
  _id: ObjectId;
  user: ObjectId;
  role: Role;
  joined_at: Date;
  /** Added by somebody else, so it does not count towards the user's room limit. */
  is_added?: true;
  /** A group at the identity provider grants the membership, and ends it. */
  by_group?: true;
};

/**
 * An invitation, as its room stores it: the SHA-256 of its code, and how often it can still be used
 * if there is a limit.
 */
export type InvitationDocument = {
  _id: ObjectId;
  hash: string;
  hint: string;
  created_by: ObjectId;
  created_at: Date;
  expires_at: Date | null;
  uses_left: number | null;
  /** Created by a plain member: valid only while members may invite. */
  by_member?: true;
};

/**
 * A webhook, as its room stores it. It posts with the account of the same `_id`. For an incoming
 * webhook, the SHA-256 of the secret is stored. An outgoing webhook has the secret itself, which
 * signs its requests.
 */
export type WebhookDocument = {
  _id: ObjectId;
  hash?: string;
  outgoing?: OutgoingWebhook;
  hint: string;
  created_by: ObjectId;
  created_at: Date;
};

/** The URL and the events of an outgoing webhook, and the room's place when it was created. */
export type OutgoingWebhook = SigningSecret & { url: string; events: SentEventType[]; since: number };

/** A room with its members. Memberships and roles change with this one document. */
export type RoomDocument = {
  _id: ObjectId;
  name: string;
  /**
   * The sort key of the directory, which search and pages use too: the name in lower case and the
   * id, because names are not unique.
   */
  name_key: string;
  is_open: boolean;
  is_visible: boolean;
  /** In the order of joining. */
  members: MemberDocument[];
  banned: ObjectId[];
  invitations?: InvitationDocument[];
  webhooks?: WebhookDocument[];
  /** The last place that was taken in the room's order. */
  seq: number;
  /** The number of counted messages. Some may never have been stored: see `lost`. */
  message_count: number;
  topic: string;
  /** The version of the picture that `avatars` has. */
  avatar?: string;
  created_at: Date;
  created_by: ObjectId;
  /** The time of the last change of the room or its members, by the database's clock. */
  changed_at: Date;
  archived_at: Date | null;
  last_message_at: Date | null;
  /**
   * The ordinals of the last hundred counted messages that were never stored, and the number of all
   * such messages.
   */
  lost?: number[];
  lost_count?: number;
  /**
   * The last place of a deleted message. Only after a marker before it, deleted messages need
   * counting.
   */
  last_deleted?: number;
  /** The lowest role that may use `@room` and `@here`; `member` by default. */
  for_all_role?: Role;
  /** The time of the last message with `@room` or `@here`. */
  for_all_at?: Date;
  /** The start of the deletion. From then on, the room does not exist for anyone. */
  deleting_at?: Date;
  /**
   * True for a direct conversation, otherwise absent. The unique `direct_key` prevents a second
   * conversation of the same people.
   */
  is_direct?: true;
  direct_key?: string;
  /** True if every new account joins the room; absent if nobody has chosen that. */
  is_default?: boolean;
  /**
   * The days until messages are deleted; absent or null if they are kept, or if the service's
   * default applies.
   */
  retention_days?: number | null;
  /** True if messages are kept however old they are. */
  is_held?: boolean;
  /** The imports that added messages, and the import that created the room. */
  imports?: ObjectId[];
  made_by_import?: ObjectId;
  /** The place that the deletion by age has reached. */
  swept_seq?: number;
  /** The first old message that was kept because of a hold on its author, and all such authors. */
  held_seq?: number;
  held_by?: ObjectId[];
} & Partial<IdempotencyFields>;

/** The fields of a new room that are the same for all, as expressions of an update. */
export const newRoom = {
  is_open: true,
  is_visible: true,
  banned: [],
  seq: 0,
  message_count: 0,
  topic: '',
  created_at: '$$NOW',
  changed_at: '$$NOW',
  archived_at: null,
  last_message_at: null,
};

export const roomIndexes: IndexDescription[] = [
  { key: { 'members.user': 1 }, name: 'members.user' },
  { key: { 'members._id': 1 }, name: 'members._id' },
  { key: { banned: 1 }, name: 'banned' },
  { key: { is_visible: 1, name_key: 1 }, name: 'is_visible, name_key' },
  { key: { 'invitations.hash': 1 }, name: 'invitations.hash', sparse: true },
  { key: { name_key: 1 }, name: 'name_key' },
  { key: { is_default: 1 }, name: 'is_default', sparse: true },
  { key: { retention_days: 1 }, name: 'retention_days', sparse: true },
  { key: { imports: 1 }, name: 'imports', sparse: true },
  { key: { 'invitations.created_by': 1 }, name: 'invitations.created_by', sparse: true },
  { key: { 'webhooks.hash': 1 }, name: 'webhooks.hash', sparse: true },
  { key: { 'webhooks.created_by': 1 }, name: 'webhooks.created_by', sparse: true },
  { key: { 'webhooks.outgoing.url': 1 }, name: 'webhooks.outgoing.url', sparse: true },
  {
    key: { direct_key: 1 },
    name: 'direct_key',
    unique: true,
    partialFilterExpression: { direct_key: { $exists: true } },
  },
  {
    key: { created_by: 1, idempotency_key: 1 },
    name: 'created_by, idempotency_key',
    unique: true,
    partialFilterExpression: { idempotency_key: { $exists: true } },
  },
];

/** The rooms that are not being deleted. */
export const rooms = scoped(collection<Omit<RoomDocument, '_id'>>('rooms'), { deleting_at: null });
