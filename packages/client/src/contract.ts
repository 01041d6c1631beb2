// Generated from docs/openapi.json by 'npm run openapi'.

export type Id = {
  /** The 24 hexadecimal characters of the id. */
  $oid: string;
};

export type Room = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The name, which need not be unique; empty for a direct conversation. */
  name: string;
  /** The ids of the members, the oldest membership first. */
  members: Id[];
  /** Whether all users who see the room may join it. */
  is_open: boolean;
  /** Whether non-members see the room, also in the directory. */
  is_visible: boolean;
};

export type Time = {
  /** The time, as ISO 8601 in UTC. */
  $date: string;
};

export type RoomDetails = {
  /** The id of the room. */
  room: Id;
  /** The topic of the room; may be empty. */
  topic: string;
  /** The version of the room's picture at `GET /api/rooms/{room}/avatar`, if there is one. */
  avatar?: string;
  /** The time of creation. */
  created_at: Time;
  /** The user who created the room. */
  created_by: Id;
  /** The number of members. */
  member_count: number;
  /** The number of messages, including deleted ones. */
  message_count: number;
  /** The time of the last message; null before the first. */
  last_message_at: Time | null;
  /** The time of archiving; null if the room is not archived. */
  archived_at: Time | null;
  /** Whether the room is a direct conversation, which nobody joins or leaves. */
  is_direct: boolean;
  /** Whether every new account joins the room. */
  is_default: boolean;
  /** The lowest role that may use `@room` and `@here`, at most once a minute, in rooms of up to 1,000 members. */
  mention_all_role: 'member' | 'moderator' | 'owner';
  /** The days until messages are deleted for good; null if they are kept. */
  retention_days: number | null;
};

export type Invitation = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The id of the room. */
  room: Id;
  /** The last four characters of the secret, for telling items of a list apart. */
  hint: string;
  /** The user who created the invitation. */
  created_by: Id;
  /** The time of creation. */
  created_at: Time;
  /** The time of expiry; null if it does not expire. */
  expires_at: Time | null;
  /** The number of remaining uses; null for any number. */
  uses_left: number | null;
};

export type SentTime = {
  /** The time, as ISO 8601 with its zone. */
  $date: string;
};

export type NewInvitation = Invitation & {
  /** The 32 characters for joining, shown only once. */
  code: string;
};

export type RoomOwner = {
  /** The id of the user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
};

export type RoomUsage = {
  /** The number of members. */
  members: number;
  /** The number of messages, including deleted ones. */
  messages: number;
  /** The number of files that were sent, at most 10,000. */
  files: number;
  /** The size of these files, in bytes. */
  file_bytes: number;
  /** The number of invitations that can be used. */
  invitations: number;
  /** The number of webhooks. */
  webhooks: number;
  /** The owners, at most 20. */
  owners: RoomOwner[];
};

export type Webhook = {
  /** The id, which is also the author of its messages. */
  _id: Id;
  /** The id of the room. */
  room: Id;
  /** The name under which it posts. */
  name: string;
  /** The receiver of the events; null for an incoming webhook. */
  url: string | null;
  /** The types of the events that it sends; null for an incoming webhook. */
  events: ('message.created' | 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed' | 'action.pressed' | 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed' | 'room.changed' | 'room.archived')[] | null;
  /** The last four characters of the secret, for telling items of a list apart. */
  hint: string;
  /** The user who created the webhook. It ends when they lose the role that it requires. */
  created_by: Id;
  /** The time of creation. */
  created_at: Time;
};

export type NewWebhook = Webhook & {
  /** Shown only once: the 32 characters of its address `/api/webhooks/{secret}`, or `whsec_` and the key that signs requests. */
  secret: string;
  /** The address where other programs post, shown only once; only its path without `PUBLIC_URL`; null for an outgoing webhook. */
  address: string | null;
};

export type WebhookDelivery = {
  /** The place of the event; 0 for a test. */
  seq: number;
  /** The type of the event. */
  type: string;
  /** The time of the attempt. */
  at: Time;
  /** How long it took. */
  milliseconds: number;
  /** The status of the answer; null without an answer. */
  status: number | null;
  /** The first 200 characters of the answer, or why there was none. */
  answer: string;
};

export type WebhookDetails = Webhook & {
  /** The last place of the room that was delivered or skipped. */
  seq: number;
  /** The start of the failures; null without failures. */
  failing_since: Time | null;
  /** The time of the next attempt; null if nothing failed. */
  retry_at: Time | null;
  /** When it was switched off; null while it is on. */
  disabled_at: Time | null;
  /** The last 20 attempts, oldest first. */
  deliveries: WebhookDelivery[];
  /** Shown only once, when it is created: `whsec_` and the key that signs requests. */
  secret?: string;
};

export type Status = {
  /** The emoji of the status. */
  emoji?: string;
  /** The text; may be empty if there is an emoji. */
  text: string;
  /** The end, if one is set. */
  until?: Time;
};

export type OtherUser = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
  /** The current status of the user, if there is one. */
  status?: Status;
};

export type RoomCommand = {
  /** The name, without the slash. */
  name: string;
  /** The purpose of the command. */
  description: string;
  /** The arguments after the name; empty without arguments. */
  usage: string;
  /** The bot that is asked. */
  bot: OtherUser;
};

export type SentId = {
  /** The 24 hexadecimal characters of the id. */
  $oid: string;
};

export type CardField = {
  /** The name of the field. */
  title: string;
  /** The value, in Markdown. */
  value: string;
  /** Whether it can share a line with another one. */
  is_short: boolean;
};

export type Card = {
  /** The colour of its edge, as `#rrggbb`. */
  color?: string;
  /** The author of the card. */
  author?: string;
  /** The title of the card. */
  title?: string;
  /** The address that the title leads to. */
  url?: string;
  /** The text, in Markdown. */
  text?: string;
  /** The fields, in the order of their sender. */
  fields: CardField[];
  /** The address of a picture. */
  image_url?: string;
  /** The line below the card. */
  footer?: string;
  /** The time that it is about. */
  at?: Time;
};

export type MessageDisplay = {
  /** The name that the program chose. */
  name?: string;
  /** Its icon: an emoji, or the code of one, such as `:tada:`. */
  icon?: string;
  /** The text above the cards, in Markdown; present only with cards. */
  text?: string;
  /** The cards, one below the other. */
  cards: Card[];
};

export type Action = {
  /** The id, unique in the message. */
  id: string;
  /** The words on the button, or of the option. */
  label: string;
  /** The look of the button. */
  style: 'default' | 'primary' | 'danger';
  /** The people who may press it: members with at least this role, or these users. */
  who: 'member' | 'moderator' | 'owner' | Id[];
  /** A question to ask before the press. */
  confirm?: string;
};

export type Press = {
  /** The id of the action. */
  action: string;
  /** The user who pressed it. */
  user: Id;
  /** The time, by the clock of the database. */
  at: Time;
};

export type AttachedFile = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The name that its sender gave it. */
  name: string;
  /** The media type. */
  type: string;
  /** The number of bytes. */
  size: number;
  /** The width of a picture or a video, in pixels; null if unknown. */
  width: number | null;
  /** The height of a picture or a video, in pixels; null if unknown. */
  height: number | null;
  /** The length of a recording, in seconds; null if unknown. */
  duration: number | null;
  /** Whether there is a small picture of it. */
  has_preview: boolean;
  /** A description for people who cannot see it, if the sender wrote one. */
  alt?: string;
};

export type Reaction = {
  /** The emoji in its fully qualified form, or the word. */
  emoji: string;
  /** The users with this reaction, in the order of their reactions. */
  users: Id[];
};

export type Message = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The room of the message. */
  room: Id;
  /** The place in the room's order of messages and changes. Messages may skip numbers. */
  seq: number;
  /** The author. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
  /** The agent that sent it for its author, by the name of its token. */
  via?: string;
  /** The text; empty if the message has only files, or is deleted. */
  text: string;
  /** The look of the message, from the program that posted it by a webhook. `text` has the same content for programs without cards. */
  display?: MessageDisplay;
  /** The buttons below the message, or the options of its select. */
  actions?: Action[];
  /** Present, and true, if the actions are the options of one select. */
  is_select?: true;
  /** How many presses count: the first one, or the first one of each person. */
  answers?: 'one' | 'one_each';
  /** The time after which no action can be pressed. */
  expires_at?: Time;
  /** Present, and true, if each press is recorded in the audit log. */
  is_approval?: true;
  /** The version of the text, from 1; each edit adds 1. */
  version?: number;
  /** The presses, the first one first. */
  presses?: Press[];
  /** The files, in the order of their sender. */
  files: AttachedFile[];
  /** Only on a message that was streamed: true until its text is complete. */
  is_streaming?: boolean;
  /** Only on a streamed message that its author did not finish: true. */
  is_interrupted?: boolean;
  /** The time of sending. */
  created_at: Time;
  /** The time of the last edit; null before the first. */
  edited_at: Time | null;
  /** The time of deletion, which keeps the place and removes the text; null before. */
  deleted_at: Time | null;
  /** The parent message of a reply; else null. */
  thread: Id | null;
  /** Whether the message is shown in its room; a reply may be only in its thread. */
  is_in_room: boolean;
  /** Up to three users who replied last, the latest at the end. */
  repliers: Id[];
  /** The time of the last reply; null before the first. */
  replied_at: Time | null;
  /** The number of replies, without deleted ones. */
  reply_count: number;
  /** The members that the text named when it was sent or edited. */
  mentions: Id[];
  /** `room` if the message mentions all members, `here` if it mentions the connected ones; null if neither. */
  mentions_all: 'room' | 'here' | null;
  /** The reactions, by emoji. */
  reactions: Reaction[];
  /** The time of pinning; null if not pinned. */
  pinned_at: Time | null;
};

export type CommandResult = {
  /** The public answer of the bot, as a message in the room; null without one. */
  message: Message | null;
  /** The private answer of the bot, which is not stored; null without one. */
  text: string | null;
};

export type InvitationTarget = {
  /** The id of the room. */
  room: Id;
  /** The name of the room. */
  room_name: string;
  /** The username of the creator of the invitation; `(deleted)` for a deleted user. */
  username: string;
  /** Their full name, if set. */
  name?: string;
  /** Whether the caller is a member of the room already. */
  is_member: boolean;
};

export type ListedRoom = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The name of the room. */
  name: string;
  /** The topic of the room; may be empty. */
  topic: string;
  /** The version of the room's picture at `GET /api/rooms/{room}/avatar`, if there is one. */
  avatar?: string;
  /** The number of members. */
  member_count: number;
  /** Whether all users who see the room may join it. */
  is_open: boolean;
};

export type Member = {
  /** The id of the membership, not of the user. */
  _id: Id;
  /** The id of the room. */
  room: Id;
  /** The id of the user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
  /** The current status of the user, if there is one. */
  status?: Status;
  /** The role: owners change the room and its members, moderators remove people and messages. */
  role: 'owner' | 'moderator' | 'member';
  /** The time of joining. */
  joined_at: Time;
  /** The name of the room. It and all fields below are only in the caller's own memberships. */
  room_name?: string;
  /** The version of the room's picture at `GET /api/rooms/{room}/avatar`, if there is one. Only in the list. */
  room_avatar?: string;
  /** Whether anyone can join the room; only in the list, and not of a direct conversation. */
  room_is_open?: boolean;
  /** The latest place in the room; anything after it is new. */
  seq?: number;
  /** The last place that the caller has read. */
  last_read?: number;
  /** Unread messages from others (deleted ones do not count). Sending marks the room as read. */
  unread?: number;
  /** Unread messages that mention the caller, at most 100. */
  unread_mentions?: number;
  /** Whether the caller has muted the notifications of this room. */
  is_muted?: boolean;
  /** The messages of this room that notify the caller’s devices, unless it is muted; null if each device decides. */
  notify_of?: 'all' | 'mentions' | null;
  /** Whether the room is one of the caller’s favourites. */
  is_favourite?: boolean;
  /** The position among the favourites, if the caller has set one: lower numbers first, rooms without a number last, by name. */
  favourite_order?: number;
  /** The threads of the room that the caller follows and that have unread replies; only in the list. */
  unread_threads?: number;
  /** The other members of a direct conversation, to show in place of a name. */
  others?: OtherUser[];
};

export type Ban = {
  /** The room of the ban. */
  room: Id;
  /** The banned user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
};

export type SentAction = {
  /** The id, unique in the message. */
  id: string;
  /** The words on the button. */
  label: string;
  /** The look, `default` if omitted. */
  style?: 'default' | 'primary' | 'danger';
  /** The people who may press it: members with at least this role, or these users; `member` if omitted. */
  who?: 'member' | 'moderator' | 'owner' | (SentId | string | string)[];
  /** A question that the page asks before the press. */
  confirm?: string;
};

export type Upload = {
  /** The method of the request. */
  method: 'PUT';
  /** The address. If it begins with `/`, it belongs to this service and needs the token. Any other belongs to an object store, which must not receive the token. */
  url: string;
  /** The headers that it must have. */
  headers: Record<string, unknown>;
  /** The time until which it can be made. Repeat the announcement with its key for a later one. */
  expires_at: Time;
};

export type AnnouncedFile = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The request that uploads the bytes. */
  upload: Upload;
  /** The request that uploads the preview; null if none was announced. */
  preview_upload: Upload | null;
};

export type SavedMessage = {
  /** The message as it is now. */
  message: Message;
  /** The time of saving. */
  saved_at: Time;
  /** The time of the reminder, also if it is due and not done; null without one. */
  remind_at: Time | null;
};

export type JsonRpcCall = {
  /** The version of JSON-RPC. */
  jsonrpc: '2.0';
  /** The id of the call; absent in a notification. */
  id?: unknown;
  /** The method of the protocol, such as `tools/call`. */
  method: string;
  /** The parameters of the method. */
  params?: Record<string, unknown>;
};

export type JsonRpcAnswer = {
  /** The version of JSON-RPC. */
  jsonrpc: '2.0';
  /** The id of the call. */
  id?: unknown;
  /** The result, which the protocol defines. */
  result?: Record<string, unknown>;
  /** The error; absent in an answer with a result. */
  error?: {
    /** The code of JSON-RPC or of the protocol. */
    code: number;
    /** The reason, as a sentence. */
    message: string;
    /** More about it, which the protocol defines. */
    data?: unknown;
  };
};

export type Notification = {
  /** `mention`: a message mentions the caller. `reply`: the last reply of others in a thread that the caller follows. `reaction`: the last reaction of others to a message of the caller. `added`: somebody has added the caller to a room. */
  kind: 'mention' | 'reply' | 'reaction' | 'added';
  /** The id of the room. */
  room: Id;
  /** The place in the room's order of messages and changes. Messages may skip numbers. */
  seq: number;
  /** The time of the message, the reaction or the addition. */
  at: Time;
  /** Whether the caller has read neither the list up to it nor the room or thread, which is not muted. */
  is_unread: boolean;
  /** The user who wrote, reacted, or added the caller. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
  /** The reaction; absent for all other kinds. */
  emoji?: string;
  /** The message, or the one with the reaction; null if the caller was added. */
  message: Message | null;
};

export type NotificationReading = {
  /** The time of the newest entry that the caller has read; null if none. */
  read_until: Time | null;
  /** The number of unread ones among the 100 newest. */
  unread: number;
};

export type PushSubscription = {
  /** The public key of the service, the `applicationServerKey` to subscribe with. */
  key: string;
  /** Whether the device of this token receives pushes. */
  is_subscribed: boolean;
  /** The messages that it notifies of; null without a subscription. */
  of: 'mine' | 'all' | null;
};

export type Thread = {
  /** The first message of the thread. */
  message: Message;
  /** Whether the caller follows the thread. */
  is_followed: boolean;
  /** The last `seq` of the replies that the caller has read. */
  last_read: number;
  /** The replies of others after it that are not deleted, at most 100. */
  unread: number;
};

export type MessageCreated = {
  /** The place in the room's order of messages and changes. Messages may skip numbers. */
  seq: number;
  /** The kind, which determines the other fields. */
  type: 'message.created';
  /** The id of the room. */
  room: Id;
  /** The time of the event, by the clock of the database. */
  at: Time;
  /** The user who caused it; null for the service and its command line. */
  actor: Id | null;
  /** The message as it is now, possibly edited or deleted. */
  data: Message;
};

export type MessageChanged = {
  /** The place in the room's order of messages and changes. Messages may skip numbers. */
  seq: number;
  /** The kind, which determines the other fields. */
  type: 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed' | 'action.pressed' | 'message.completed';
  /** The id of the room. */
  room: Id;
  /** The time of the event, by the clock of the database. */
  at: Time;
  /** The user who caused it; null for the service and its command line. */
  actor: Id | null;
  /** The message as it is now, after all changes. */
  data: Message | null;
};

export type FormerMember = {
  /** The id of the former membership. */
  _id: Id;
  /** The id of the room. */
  room: Id;
  /** The id of the user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
  /** Null, because the membership ended. */
  role: null;
  /** Null, because the membership ended. */
  joined_at: null;
};

export type MemberChanged = {
  /** The place in the room's order of messages and changes. Messages may skip numbers. */
  seq: number;
  /** The kind, which determines the other fields. */
  type: 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed';
  /** The id of the room. */
  room: Id;
  /** The time of the event, by the clock of the database. */
  at: Time;
  /** The user who caused it; null for the service and its command line. */
  actor: Id | null;
  /** The present or the former membership. */
  data: Member | FormerMember;
};

export type RoomChanged = {
  /** The place in the room's order of messages and changes. Messages may skip numbers. */
  seq: number;
  /** The kind, which determines the other fields. */
  type: 'room.changed' | 'room.archived';
  /** The id of the room. */
  room: Id;
  /** The time of the event, by the clock of the database. */
  at: Time;
  /** The user who caused it; null for the service and its command line. */
  actor: Id | null;
  /** The room as it is now. */
  data: Room | null;
};

export type Event = MessageCreated | MessageChanged | MemberChanged | RoomChanged;

export type QuietHours = {
  /** When they begin, such as `22:00`. */
  from: string;
  /** The end, such as `07:00`; on the next day if it is earlier than the start. */
  to: string;
  /** The time zone of both, such as `Europe/Berlin`. */
  time_zone: string;
};

export type User = OtherUser & {
  /** The e-mail address as typed, for the user and administrators only; absent for a bot. */
  email?: string;
  /** Whether the user is an administrator and may do everything. */
  is_admin: boolean;
  /** Whether the account can be used. */
  is_active: boolean;
  /** The time of sign-up. */
  created_at: Time;
  /** The end of the pause of notifications, if set. */
  quiet_until?: Time;
  /** The daily hours without notifications, if set. */
  quiet_hours?: QuietHours;
  /** Whether people in shared rooms see when the user is active. */
  shows_presence: boolean;
  /** Present and true if the user or the service hides message texts in notifications. */
  hides_push_text?: true;
  /** Present and false if the user has turned off e-mails about unread messages. */
  email_digest?: false;
  /** Present, and true, if a person at the identity provider signs in to the account. */
  is_connected?: true;
};

export type NewUser = {
  /** The account. */
  user: User;
  /** The 32 characters for `X-Auth-Token`, shown only once; absent with `cookie`. */
  token?: string;
};

export type NewStatus = {
  /** The emoji of the status. */
  emoji?: string;
  /** The text; may be left out if there is an emoji. */
  text?: string;
  /** When it ends. */
  until?: SentTime | string;
};

export type NewQuietHours = {
  /** When they begin. */
  from: string;
  /** The end; on the next day if it is earlier than the start. */
  to: string;
  /** A time zone, by its name in the IANA database. */
  time_zone: string;
};

export type PasswordCode = {
  /** The 32 characters for `PUT /api/password`, shown only once. */
  code: string;
  /** The page of the web client for the code; null without `PUBLIC_URL`. */
  link: string | null;
  /** The time of expiry, unless the code is used before. */
  expires_at: Time;
};

export type AuditActor = {
  /** A user, the command line, or the service itself. */
  kind: 'user' | 'command line' | 'service';
  /** The id of the user. */
  _id: Id | null;
  /** The name of the user, or of the account of the operating system at that time; null without one. */
  name: string | null;
};

export type AuditTarget = {
  /** The kind of target. */
  kind: 'user' | 'room' | 'data';
  /** Its id; null if it did not exist yet. */
  _id: Id | null;
  /** The name of it at that time; null without one. */
  name: string | null;
};

export type AuditEntry = {
  /** The number of the entry, from 1 and without gaps. */
  seq: number;
  /** The time, by the clock of the server. */
  at: Time;
  /** The actor: a user, a command, or the service. */
  actor: AuditActor;
  /** The action, one of the list in docs/audit.md. */
  action: 'user.created' | 'user.promoted' | 'user.demoted' | 'user.deactivated' | 'user.activated' | 'user.deleted' | 'user.email_changed' | 'user.password_changed' | 'user.profile_changed' | 'user.code_created' | 'user.sessions_ended' | 'user.second_factor_reset' | 'user.limits_lifted' | 'user.rate_changed' | 'user.held' | 'user.released' | 'user.exported' | 'user.disconnected' | 'bot.created' | 'bot.changed' | 'bot.deleted' | 'token.created' | 'token.revoked' | 'app.connected' | 'app.registered' | 'app.removed' | 'room.created' | 'room.read' | 'room.changed' | 'room.archived' | 'room.unarchived' | 'room.held' | 'room.released' | 'room.exported' | 'room.deleted' | 'member.added' | 'member.role_changed' | 'member.removed' | 'ban.lifted' | 'invitation.created' | 'invitation.mailed' | 'invitation.revoked' | 'webhook.created' | 'webhook.changed' | 'webhook.revoked' | 'data.exported' | 'data.imported' | 'data.backed_up' | 'data.restored' | 'data.loss_acknowledged' | 'data.converted' | 'data.conversion_undone' | 'data.links_created' | 'push_key.exported' | 'push_key.rotated' | 'action.pressed' | 'audit.exported';
  /** The target of the action. */
  target: AuditTarget | null;
  /** Further facts, by name. */
  details: Record<string, unknown>;
  /** The address of the request; null for the command line. */
  source: string | null;
  /** The number of the entry whose action was refused or failed; null in the entry of an action. */
  failed: number | null;
  /** The hash of the entry before; empty in the first one. */
  previous: string;
  /** The hash of this entry. */
  hash: string;
};

export type Setting = {
  /** The variable of the environment. */
  name: string;
  /** The value; null for a secret. */
  value: string | null;
  /** Whether it is set; otherwise the value is the default. */
  is_set: boolean;
  /** Whether the value is a secret, which is not shown. */
  is_secret: boolean;
};

export type Overview = {
  /** The version of the service. */
  version: string;
  /** Since when the process that answers runs; null on AWS. */
  started_at: Time | null;
  /** The number of accounts that are not deleted, at most 10,000. */
  people: number;
  /** The number of rooms, among at most 5,000 rooms and conversations. */
  rooms: number;
  /** The number of direct conversations, among at most 5,000 rooms and conversations. */
  conversations: number;
  /** The number of messages in them, including deleted ones, without replies that are only in threads. */
  messages: number;
  /** The current day in UTC, such as `2026-11-21`. */
  today: string;
  /** The messages of each of the last 30 days (UTC), today last; null for a day that is not counted yet. The number of a past day never changes, even if a room is deleted. */
  messages_by_day: (number | null)[];
  /** The number of people who used the service in a session today, by UTC and to the hour, at most 10,000. */
  active_today: number;
  /** The number of people who did so today or in the 6 days before. */
  active_7_days: number;
  /** The number of people who did so today or in the 29 days before. */
  active_30_days: number;
  /** The size of all files, in bytes. */
  file_bytes: number;
  /** How large all files may be together, in bytes. */
  file_bytes_limit: number;
  /** The number of outgoing webhooks, also of bots, that are switched off, at most 10,000. */
  webhooks_off: number;
  /** The start of the last regular backup; null without one, or if backups are made elsewhere. */
  backup_at: Time | null;
  /** The problem of the database file or its log; null without a problem. */
  database_problem: string | null;
  /** The things that need attention, most urgent first. */
  attention: ('database_read_only' | 'database_damaged' | 'database_incomplete' | 'backup_missing' | 'backup_late' | 'webhooks_off' | 'public_url_missing' | 'mail_off' | 'files_off')[];
};

export type ManagedRoom = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The name, which need not be unique; empty for a direct conversation. */
  name: string;
  /** The topic of the room; may be empty. */
  topic: string;
  /** The number of members. */
  member_count: number;
  /** The number of owners among them. */
  owner_count: number;
  /** The number of messages, including deleted ones. */
  message_count: number;
  /** The time of creation. */
  created_at: Time;
  /** The time of the last message; null before the first. */
  last_message_at: Time | null;
  /** The time of archiving; null if the room is not archived. */
  archived_at: Time | null;
  /** Whether all users who see the room may join it. */
  is_open: boolean;
  /** Whether non-members see the room, also in the directory. */
  is_visible: boolean;
  /** Whether every new account joins the room. */
  is_default: boolean;
  /** Whether messages are kept however old they are. */
  is_held: boolean;
  /** The days until the room deletes messages; null for the default. */
  retention_days: number | null;
};

export type Creator = {
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
};

export type ListedInvitation = Invitation & {
  /** The name of the room. */
  room_name: string;
  /** The user who created it. */
  creator: Creator;
};

export type ListedWebhook = {
  /** The id, which is also the author of its messages. */
  _id: Id;
  /** The room; null for the webhook of a bot. */
  room: Id | null;
  /** The name under which it posts. */
  name: string;
  /** The receiver of the events; null for an incoming webhook. */
  url: string | null;
  /** The types of the events that it sends; null for an incoming webhook. */
  events: ('message.created' | 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed' | 'action.pressed' | 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed' | 'room.changed' | 'room.archived')[] | null;
  /** The last four characters of the secret, for telling items of a list apart. */
  hint: string;
  /** The creator of the webhook, or the owner of its bot; null if the bot belongs to the administrators. The webhook ends with the user's role or account. */
  created_by: Id | null;
  /** The time of creation. */
  created_at: Time;
  /** The name of the room; null for the webhook of a bot. */
  room_name: string | null;
  /** The bot, at whose address the webhook is changed; null for the webhook of a room. */
  bot: Id | null;
  /** The name of that user; null with `created_by`. */
  creator: Creator | null;
  /** The start of the failures; null without failures. */
  failing_since: Time | null;
  /** When it was switched off; null while it is on. */
  disabled_at: Time | null;
  /** The latest failed attempt among the last 20; null if none failed. */
  last_failure: WebhookDelivery | null;
};

export type LargeFile = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The message with the file; deleting it deletes the file. */
  message: Id;
  /** The id of the room. */
  room: Id;
  /** The name of the room; empty for a direct conversation. */
  room_name: string;
  /** The media type. */
  type: string;
  /** The size with that of its preview, in bytes. */
  bytes: number;
  /** When it was announced. */
  created_at: Time;
  /** The id of the user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
};

export type FileOwner = {
  /** The id of the user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
  /** The size of all files that the user has sent, in bytes. */
  bytes: number;
};

export type FileOverview = {
  /** The size of all files, in bytes. */
  bytes: number;
  /** How large all files may be together, in bytes. */
  bytes_limit: number;
  /** How large the files of one account may be together, in bytes. */
  bytes_per_user: number;
  /** The largest files, at most 50. */
  files: LargeFile[];
  /** The accounts with the largest files together, at most 50. */
  users: FileOwner[];
};

export type Usage = {
  /** The number of sessions. */
  sessions: number;
  /** The number of named tokens. */
  tokens: number;
  /** The number of rooms and conversations that the user is in, at most 10,000. */
  rooms: number;
  /** The number of these rooms that the user owns, at most 10,000. */
  owned_rooms: number;
  /** The size of all files that the user has sent, in bytes. */
  file_bytes: number;
  /** The number of passkeys. */
  passkeys: number;
  /** Whether a login needs a code beside the password. */
  has_second_factor: boolean;
  /** Whether its messages are kept however old they are. */
  is_held: boolean;
  /** The account's own sustained rate of messages and changes per second; null for the default of the service. */
  writes_per_second: number | null;
};

export type Setup = {
  /** Whether the service has or had an administrator, so that setup is refused. */
  is_done: boolean;
  /** Whether the request has a valid session or token. */
  is_signed_in: boolean;
};

export type Session = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The owner of the token. */
  user: Id;
  /** The program that started the session, from its `User-Agent`. */
  name: string;
  /** `session` for a login, `api` for a named token. */
  kind: 'session' | 'api';
  /** The permitted scopes; an empty list permits everything. */
  scopes: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
  /** The last four characters of the secret, for telling items of a list apart. */
  hint: string;
  /** The time of creation. */
  created_at: Time;
  /** The time of the last use, to the hour; null before the first. */
  last_used_at: Time | null;
  /** The time of expiry; null if it does not expire. */
  expires_at: Time | null;
  /** Whether the request came with this session. */
  is_current: boolean;
};

export type NewSession = {
  /** The 32 characters for `X-Auth-Token`, shown only once; absent with `cookie`. */
  token?: string;
  /** The time of expiry. */
  expires_at: Time;
  /** The account of the session. */
  user: User;
};

export type SecondFactor = {
  /** Whether a login needs a code beside the password. */
  is_on: boolean;
  /** Whether a second factor can be turned on; the service needs `SECRET_KEY`. */
  is_available: boolean;
  /** Whether the account must have one: without it, it can do nothing else. */
  is_required: boolean;
  /** When it was turned on; null while it is off. */
  since: Time | null;
  /** The number of recovery codes that are left. */
  recovery_codes_left: number;
};

export type NewSecondFactor = {
  /** The secret in Base32, for an authenticator app. */
  secret: string;
  /** The secret as an address, for a QR code. */
  uri: string;
};

export type RecoveryCodes = {
  /** Ten codes; each replaces a code of the app once. */
  recovery_codes: string[];
};

export type Passkey = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The name that its owner chose. */
  name: string;
  /** Whether it is in more than one place, such as an account at a platform. */
  is_backed_up: boolean;
  /** The time of creation. */
  created_at: Time;
  /** The time of the last sign-in with it; null before the first. */
  last_used_at: Time | null;
};

export type Passkeys = {
  /** The origin where passkeys work; null if they are off. */
  origin: string | null;
  /** The reason if passkeys are off: `PUBLIC_URL` is not set, or is not https with a name, or only the identity provider signs people in. */
  obstacle: 'no_public_url' | 'unsuitable_public_url' | 'identity_provider' | null;
  /** Whether adding one requires a code of the second factor besides the password. */
  needs_code: boolean;
  /** The passkeys of the caller, oldest first. */
  passkeys: Passkey[];
};

export type PasskeyReference = {
  /** The id of the credential, in base64url. */
  credential: string;
  /** The ways in which browsers reach the authenticator. */
  transports: string[];
};

export type NewPasskey = {
  /** The `challenge`, in base64url; it is answered once, within five minutes. */
  challenge: string;
  /** The `rp.id`: the name of the site. */
  rp_id: string;
  /** The `rp.name`. */
  rp_name: string;
  /** The `user.id`, in base64url. */
  user_handle: string;
  /** The `user.name`. */
  username: string;
  /** The `user.displayName`. */
  display_name: string;
  /** The algorithms of keys, for `pubKeyCredParams`, the best first. */
  algorithms: number[];
  /** The existing passkeys, for `excludeCredentials`: an authenticator with one of them creates no other. */
  exclude: PasskeyReference[];
};

export type PasskeyChallenge = {
  /** The `challenge`, in base64url; it is answered once, within five minutes. */
  challenge: string;
  /** The `rpId`: the name of the site. */
  rp_id: string;
};

export type OidcStart = {
  /** The address at the identity provider to open. */
  url: string;
};

export type OidcSignIn = {
  /** The account. */
  user: User;
  /** The address where the page continues. */
  path: string;
  /** The time of expiry of the session; absent if an account was connected and keeps its session. */
  expires_at?: Time;
};

export type AppRequest = {
  /** The name of the app, in its own words. */
  name: string;
  /** The host that vouches for the app; absent for an app that an administrator registered. */
  host?: string;
  /** The host that gets the answer, or the scheme of an app. */
  returns_to: string;
  /** Present, and true, if the answer leads to a program on the device of the user. */
  is_on_device?: true;
  /** The scopes that the app would get. */
  scopes: ('rooms:read' | 'members:read' | 'messages:read' | 'rooms:write' | 'members:write' | 'messages:write')[];
  /** The address that takes the answer of a user who refuses back to the app. */
  refusal: string;
  /** Present if the request cannot be allowed; `refusal` then takes this error to the app. */
  error?: string;
};

export type AppAnswer = {
  /** The address to open, with the code for the app. */
  url: string;
};

export type IssuedTokens = {
  /** The access token, for `Authorization: Bearer`. */
  access_token: string;
  /** Always `Bearer`. */
  token_type: 'Bearer';
  /** The seconds until the access token expires. */
  expires_in: number;
  /** The refresh token, which can be used once. */
  refresh_token: string;
  /** The granted scopes, separated by spaces. */
  scope: string;
};

export type RevokedToken = Record<string, never>;

export type AuthorizationServer = {
  /** The issuer, as in `iss` of the responses. */
  issuer: string;
  /** The address of the page where people allow an app to use their account. */
  authorization_endpoint: string;
  /** The address of the token endpoint. */
  token_endpoint: string;
  /** The address of the revocation endpoint. */
  revocation_endpoint: string;
  /** The address of the documentation. */
  service_documentation: string;
  /** The scopes that apps may have. */
  scopes_supported: ('rooms:read' | 'members:read' | 'messages:read' | 'rooms:write' | 'members:write' | 'messages:write')[];
  /** Always `code`. */
  response_types_supported: 'code'[];
  /** Always `query`. */
  response_modes_supported: 'query'[];
  /** The grant types. */
  grant_types_supported: ('authorization_code' | 'refresh_token')[];
  /** Always `S256`. */
  code_challenge_methods_supported: 'S256'[];
  /** Always `none`: clients are public. */
  token_endpoint_auth_methods_supported: 'none'[];
  /** Always `none`. */
  revocation_endpoint_auth_methods_supported: 'none'[];
  /** True: responses have `iss` (RFC 9207). */
  authorization_response_iss_parameter_supported: boolean;
  /** True: the address of a metadata document is a client id. */
  client_id_metadata_document_supported: boolean;
};

export type ProtectedResource = {
  /** The address of the resource. */
  resource: string;
  /** The issuers of its tokens. */
  authorization_servers: string[];
  /** The scopes that apps may have. */
  scopes_supported: ('rooms:read' | 'members:read' | 'messages:read' | 'rooms:write' | 'members:write' | 'messages:write')[];
  /** Always `header`. */
  bearer_methods_supported: 'header'[];
  /** The name of the service. */
  resource_name: string;
};

export type Bot = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** The user who is responsible for the bot and manages it; null if it belongs to the administrators. */
  owner: Id | null;
  /** Whether the account can be used. */
  is_active: boolean;
  /** The time of creation. */
  created_at: Time;
};

export type BotCommand = {
  /** The name, without the slash. */
  name: string;
  /** The address of the bot. */
  url: string;
  /** The purpose of the command, shown to members while they type. */
  description: string;
  /** The arguments after the name; empty without arguments. */
  usage: string;
  /** The last four characters of the secret, for telling items of a list apart. */
  hint: string;
  /** The time of registration. */
  created_at: Time;
};

export type BotDetails = Bot & {
  /** The commands of the bot, by name. */
  commands: BotCommand[];
  /** Whether the bot has a webhook. */
  has_webhook: boolean;
};

export type NewBotCommand = BotCommand & {
  /** Shown only once: `whsec_` and the key that signs the calls. */
  secret: string;
};

export type BotWebhookDelivery = WebhookDelivery & {
  /** The room of the event. */
  room: Id;
};

export type BotWebhook = {
  /** The bot in whose rooms it listens. */
  bot: Id;
  /** The receiver of the events. */
  url: string;
  /** The types of the events that it sends. */
  events: ('message.created' | 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed' | 'action.pressed' | 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed' | 'room.changed' | 'room.archived')[];
  /** `addressed`: events of messages that mention the bot or are in its direct conversations. `all`: events of all messages in its rooms. */
  messages: 'addressed' | 'all';
  /** The last four characters of the secret, for telling items of a list apart. */
  hint: string;
  /** The time of creation: what happens from then on is sent. */
  created_at: Time;
  /** When it was switched off; null while it is on. */
  disabled_at: Time | null;
  /** The last 20 attempts, oldest first. */
  deliveries: BotWebhookDelivery[];
  /** Shown only once, when it is created: `whsec_` and the key that signs requests. */
  secret?: string;
};

export type Token = {
  /** The id, for paths and for references from other objects. */
  _id: Id;
  /** The owner of the token. */
  user: Id;
  /** The purpose of the token, in the words of its owner. */
  name: string;
  /** `session` for a login, `api` for a named token. */
  kind: 'session' | 'api';
  /** The permitted scopes; an empty list permits everything. */
  scopes: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
  /** The last four characters of the secret, for telling items of a list apart. */
  hint: string;
  /** The time of creation. */
  created_at: Time;
  /** The time of the last use, to the hour; null before the first. */
  last_used_at: Time | null;
  /** The time of expiry; null if it does not expire. */
  expires_at: Time | null;
  /** Present, and true, for an agent: its messages show the name of the token as `via`. */
  is_agent?: true;
  /** The host of the app that got the token by OAuth, or its client id if it is registered here. */
  app?: string;
  /** The host that got the code of the app, or the scheme of an app on a device. */
  app_returns_to?: string;
};

export type NewToken = Token & {
  /** The 32 characters for `X-Auth-Token`, shown only once; absent with `cookie`. */
  token: string;
};

export type Ticket = {
  /** The address of the WebSocket: a full one, or a path of the service. */
  url: string;
  /** The 32 characters for the subprotocol, valid once. */
  ticket: string;
  /** The time of expiry. */
  expires_at: Time;
};

export type Limits = {
  /** The size of a page without `limit`. */
  page_size: number;
  /** The maximum number of members of a room. */
  room_members: number;
  /** The days for which events are kept. After a longer absence, read the history again. */
  event_days: number;
  /** The maximum size of a file, in bytes; 0 if the service keeps no files. */
  file_bytes: number;
  /** The maximum size of the body of a request, in bytes. */
  body_bytes: number;
};

export type Health = {
  /** `ok`: the service works. */
  status: 'ok';
  /** The version of the service. */
  version: string;
  /** `ok`. `damaged`: the database file is damaged. `incomplete`: acknowledged writes were lost with the end of its log, and no operator has acknowledged it. `not_prepared`: writes are refused until a deployment has created its indexes. */
  database: 'ok' | 'damaged' | 'incomplete' | 'not_prepared';
  /** Sign-up: `open` for everyone, for `invited` people only, or `closed`. */
  registration: 'open' | 'invited' | 'closed';
  /** The users who may create rooms with `POST /api/directory`. */
  room_creation: 'admins' | 'users';
  /** The members of a room who may invite and add people. */
  invitations: 'members' | 'moderators';
  /** The users who may create bots. */
  bot_creation: 'admins' | 'users';
  /** Whether `POST /api/codes` sends e-mails. */
  sends_email: boolean;
  /** Whether a sign-up needs a code sent to its address. */
  email_confirmation: 'off' | 'required';
  /** The limits from settings that clients must know. */
  limits: Limits;
};

export type HelloFrame = {
  /** The kind, which determines the other fields. */
  type: 'hello';
  /** Whether frames of rooms carry their events; true by default. */
  events?: boolean;
};

export type PingFrame = {
  /** The kind, which determines the other fields. */
  type: 'ping';
  /** A number for the pong to repeat. */
  id: number;
  /** The last `now` that the client received. The pong lists rooms with news since then. */
  since?: Time;
};

export type TypingFrame = {
  /** The kind, which determines the other fields. */
  type: 'typing';
  /** The id of the room. */
  room: Id;
};

export type WatchFrame = {
  /** The kind, which determines the other fields. */
  type: 'watch';
  /** The people whom the client shows, in place of those that it named before: at most 100. */
  users: Id[];
};

export type ActiveFrame = {
  /** The kind, which determines the other fields. */
  type: 'active';
};

export type WelcomeFrame = {
  /** The kind, which determines the other fields. */
  type: 'hello';
  /** The id of the connection in the log of the service. */
  connection: string;
  /** The seconds of silence after which the client sends a ping. */
  ping: number;
  /** The seconds after which the connection ends in any case. */
  lifetime?: number;
  /** The time of the database, for the next `since`. */
  now: Time;
  /** The epoch in which every `seq` of the frame counts. */
  epoch: string;
  /** Whether the service reports presence; if absent, it refuses `watch` and `active`. */
  presence?: boolean;
};

export type RoomFrame = {
  /** The kind, which determines the other fields. */
  type: 'room';
  /** The id of the room. */
  room: Id;
  /** The epoch in which every `seq` of the frame counts. */
  epoch: string;
  /** The place that the feed of the room has reached, at least. */
  seq: number;
  /** The place after which `events` begin. */
  after?: number;
  /** All events after `after`, up to `seq`. */
  events?: Event[];
};

export type LeftFrame = {
  /** The kind, which determines the other fields. */
  type: 'left';
  /** The id of the room. */
  room: Id;
};

export type TypingNotice = {
  /** The kind, which determines the other fields. */
  type: 'typing';
  /** The id of the room. */
  room: Id;
  /** The id of the user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
};

export type ActivityFrame = {
  /** The kind, which determines the other fields. */
  type: 'activity';
  /** The id of the room. */
  room: Id;
  /** The first message of the thread. */
  thread: Id;
  /** The id of the user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The name of the agent, if it acts for the user. */
  via?: string;
  /** The status line of the bot or agent, for 30 seconds; empty if it has finished. */
  text: string;
};

export type ChunkFrame = {
  /** The kind, which determines the other fields. */
  type: 'chunk';
  /** The id of the room. */
  room: Id;
  /** The message that streams. */
  message: Id;
  /** The number of characters before `text`. They are known from an earlier frame or from the message. */
  at: number;
  /** All characters after them, so far. */
  text: string;
};

export type ReadFrame = {
  /** The kind, which determines the other fields. */
  type: 'read';
  /** The id of the room. */
  room: Id;
  /** The last place that the user has read, on any device. */
  last_read: number;
  /** Whether the user has just muted the room, or ended that. */
  is_muted?: boolean;
  /** The new choice of messages that notify the user; null if each device decides. */
  notify_of?: 'all' | 'mentions' | null;
  /** Whether the user has just made the room a favourite, or ended that. */
  is_favourite?: boolean;
  /** Where the user has just put the room among the favourites. Of two devices that do so at the same time, the list of memberships says which came last. */
  favourite_order?: number;
};

export type ThreadFrame = {
  /** The kind, which determines the other fields. */
  type: 'thread';
  /** The id of the room. */
  room: Id;
  /** The first message of the thread. */
  thread: Id;
  /** The last place of the replies that the user has read, on any device. */
  last_read: number;
  /** Whether the user follows the thread. */
  is_followed: boolean;
};

export type SavedFrame = {
  /** The user has saved a message, or has set, changed or ended its reminder: read the saved messages again. */
  type: 'saved';
  /** The message. */
  message: Id;
  /** Whether it is among those that the user has saved. */
  is_saved: boolean;
};

export type NotificationsFrame = {
  /** A reaction, a membership, or reading has changed the list of notifications: read it again. */
  type: 'notifications';
};

export type PresenceFrame = {
  /** The kind, which determines the other fields. */
  type: 'presence';
  /** The ids of connected users who did something in the last five minutes. */
  active: Id[];
  /** The ids of other connected users. */
  away: Id[];
  /** The ids of users who are not connected, or whose presence the user may not see. */
  offline: Id[];
};

export type PersonFrame = {
  /** The kind, which determines the other fields. */
  type: 'person';
  /** The id of the user. */
  user: Id;
  /** The current username; `(deleted)` for a deleted user. */
  username: string;
  /** The full name of the user, if set. */
  name?: string;
  /** The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one. */
  avatar?: string;
  /** Present, and true, for a program: a bot or a webhook. */
  is_bot?: true;
  /** The current status of the user, if there is one. */
  status?: Status;
};

export type RoomPosition = {
  /** The id of the room. */
  room: Id;
  /** The place in the room's order of messages and changes. Messages may skip numbers. */
  seq: number;
};

export type PongFrame = {
  /** The kind, which determines the other fields. */
  type: 'pong';
  /** The number of the ping. */
  id: number;
  /** The time of the database, for the next `since`. */
  now: Time;
  /** The epoch in which every `seq` of the frame counts. */
  epoch: string;
  /** The rooms of the user with news since `since`. */
  rooms: RoomPosition[];
  /** Whether more rooms have news than are listed. */
  more: boolean;
};

export type ErrorFrame = {
  /** The kind, which determines the other fields. */
  type: 'error';
  /** The HTTP status of the same error. */
  status: number;
  /** The error, in a sentence for people. */
  message: string;
};

export type ByeFrame = {
  /** The kind, which determines the other fields. */
  type: 'bye';
  /** The close code of the connection. */
  code: number;
  /** The reason, in a sentence for people. */
  reason: string;
  /** Whether to connect again. */
  reconnect: boolean;
  /** The seconds within which to connect again, at a random moment. */
  within?: number;
};

/** The body of an error. */
type ErrorOf<Title extends string, Code extends string> = {
  /** The kind of error, in the same words for every error of its kind. */
  title: Title;
  /** The error, in a sentence for people. */
  description: string;
  /** The error, for programs. It stays the same if the sentence changes; absent at `/api/rooms`. */
  code?: Code;
};

/** A parameter is missing or invalid, or the body is not JSON. */
export type BadRequest = ErrorOf<'Missing parameter' | 'Invalid parameter' | 'Unknown parameter' | 'Invalid JSON', 'app_document_invalid' | 'app_unknown' | 'invalid_grant' | 'invalid_json' | 'invalid_parameter' | 'invalid_picture' | 'invalid_request' | 'invalid_scope' | 'invalid_target' | 'missing_parameter' | 'picture_too_wide' | 'unknown_parameter' | 'unsupported_grant_type' | 'unsupported_response_type'> & {
  /** The error in the terms of OAuth; only on the paths of OAuth. */
  error?: string;
  /** A copy of `description`; only with `error`. */
  error_description?: string;
};

/** The token is missing or invalid. */
export type Unauthenticated = ErrorOf<'Not authentificated', 'passkey_of_another' | 'second_factor_required' | 'unauthenticated' | 'wrong_passkey' | 'wrong_second_factor'>;

/** The caller may not do this. */
export type PermissionDenied = ErrorOf<'Permission Denied', 'account_deactivated' | 'address_missing' | 'address_unconfirmed' | 'admin_required' | 'app_refused' | 'author_required' | 'banned' | 'bot_refused' | 'current_password_required' | 'email_code_required' | 'foreign_origin' | 'fresh_sign_in_required' | 'invitation_required' | 'mcp_off' | 'membership_required' | 'moderator_required' | 'no_email' | 'no_files' | 'no_identity_provider' | 'not_asked' | 'other_account' | 'own_favourites_only' | 'own_marker_only' | 'own_muting_only' | 'owner_required' | 'passkey_expired' | 'passkey_refused' | 'passkeys_unavailable' | 'passwords_off' | 'person_required' | 'program_required' | 'proof_required' | 'push_service_unknown' | 'registration_closed' | 'room_closed' | 'scope_required' | 'second_factor_setup_required' | 'second_factor_unavailable' | 'session_required' | 'setup_done' | 'sign_in_expired' | 'sign_in_refused' | 'unscoped_token_required' | 'webhook_receiver_refused' | 'wrong_current_password' | 'wrong_second_factor'>;

/** It does not exist, or the caller may not see it. */
export type NotFound = ErrorOf<'Not found', 'action_not_found' | 'avatar_not_found' | 'ban_not_found' | 'block_not_found' | 'bot_not_found' | 'code_not_found' | 'command_not_found' | 'file_not_found' | 'invitation_not_found' | 'link_not_found' | 'member_not_found' | 'message_not_found' | 'oauth_off' | 'passkey_not_found' | 'path_not_found' | 'room_not_found' | 'session_not_found' | 'token_not_found' | 'user_not_found' | 'webhook_not_found'>;

/** The caller does not accept JSON. */
export type NotAcceptable = ErrorOf<'Media type not acceptable', 'not_acceptable'> & {
  /** A page that helps. */
  link: {
    /** The URL of the page. */
    href: string;
    /** The relation of the page to the error. */
    rel: 'help';
    /** The subject of the page. */
    text: string;
  };
};

/** The current state does not allow it. */
export type Conflict = ErrorOf<'Conflict', 'account_is_bot' | 'action_expired' | 'address_taken' | 'already_answered' | 'already_linked' | 'already_member' | 'answers_full' | 'bots_alone' | 'command_failed' | 'command_taken' | 'email_taken' | 'file_not_uploaded' | 'file_sent' | 'file_taken' | 'identity_taken' | 'last_admin' | 'last_owner' | 'link_required' | 'message_answered' | 'message_changed' | 'message_deleted' | 'message_streaming' | 'no_other_sign_in' | 'nobody_left' | 'not_a_favourite' | 'not_connected' | 'not_pushed' | 'not_streaming' | 'only_sign_in' | 'other_bytes' | 'other_key' | 'passkey_exists' | 'push_refused' | 'quota_exceeded' | 'room_archived' | 'room_direct' | 'room_full' | 'second_factor_not_begun' | 'second_factor_off' | 'second_factor_on' | 'stored_elsewhere' | 'subscription_ended' | 'token_name_taken' | 'too_many_announced' | 'too_many_blocked' | 'too_many_bots' | 'too_many_commands' | 'too_many_conversations' | 'too_many_invitations' | 'too_many_passkeys' | 'too_many_reactions' | 'too_many_rooms' | 'too_many_saved' | 'too_many_streams' | 'too_many_tokens' | 'too_many_webhooks' | 'upload_broken' | 'user_blocked' | 'username_reserved' | 'username_taken' | 'webhook_incoming' | 'wrong_position'>;

/** It is gone. */
export type Gone = ErrorOf<'Gone', 'cursor_too_old' | 'history_replaced'>;

/** The `ETag` differs from `If-Match`; nothing was changed. */
export type PreconditionFailed = ErrorOf<'Precondition failed', 'precondition_failed'>;

/** The body is too large. */
export type PayloadTooLarge = ErrorOf<'Payload too large', 'answer_too_large' | 'body_too_large' | 'file_too_large' | 'picture_too_large'>;

/** The body is not JSON. */
export type UnsupportedMediaType = ErrorOf<'Unsupported media type', 'unsupported_media_type'>;

/** The range is outside the file; `Content-Range` has its size. */
export type RangeNotSatisfiable = ErrorOf<'Range not satisfiable', 'range_not_satisfiable'>;

/** The `Idempotency-Key` was used with a different request. */
export type KeyReused = ErrorOf<'Idempotency key reused', 'key_reused'>;

/** There were too many requests in too short a time. */
export type TooManyRequests = ErrorOf<'Too many requests', 'too_many_requests'>;

/** The service failed; its log has the details. */
export type InternalError = ErrorOf<'Internal error', 'internal_error'>;

/** The database is down or slow, or the service is busy. */
export type ServiceUnavailable = ErrorOf<'Service unavailable', 'busy' | 'not_prepared' | 'service_unavailable'>;

/** Every error that has a body; its `title` names its kind. */
export type ErrorBody = BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | Gone | PreconditionFailed | PayloadTooLarge | UnsupportedMediaType | RangeNotSatisfiable | KeyReused | TooManyRequests | InternalError | ServiceUnavailable;

/** What a client sends over a WebSocket, and what the service does. */
export type ClientFrame = HelloFrame | PingFrame | TypingFrame | WatchFrame | ActiveFrame;
export type ServerFrame = WelcomeFrame | RoomFrame | LeftFrame | TypingNotice | ActivityFrame | ChunkFrame | ReadFrame | ThreadFrame | SavedFrame | NotificationsFrame | PresenceFrame | PersonFrame | PongFrame | ErrorFrame | ByeFrame;

/** What each operation takes, its answer (`data`), and its errors. */
export type Operations = {
  /** List the rooms; without `limit` and `after`, all of them */
  'GET /api/rooms': {
    query?: { 'limit'?: number; 'after'?: string };
    data: Room[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | PayloadTooLarge | InternalError | ServiceUnavailable;
  };
  /** Create a room, as an administrator; all users can use `POST /api/directory` */
  'POST /api/rooms': {
    header?: { 'Idempotency-Key'?: string };
    body: {
      /** The name of the room. Names need not be unique. Must have 1 to 100 characters and not be blank. */
      name: string;
    };
    data: Room;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | PayloadTooLarge | KeyReused | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get a room that is visible or has the caller as a member */
  'GET /api/rooms/{room}': {
    path: { 'room': string };
    header?: { 'If-None-Match'?: string };
    data: Room;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Set the name and both flags of a room, as an owner */
  'PUT /api/rooms/{room}': {
    path: { 'room': string };
    header?: { 'If-Match'?: string };
    body: {
      /** The name of the room. Names need not be unique. Must have 1 to 100 characters and not be blank. */
      name: string;
      /** Whether all users who see the room may join it. Must be true or false. */
      is_open: boolean;
      /** Whether non-members see the room, also in the directory. Must be true or false. */
      is_visible: boolean;
    };
    data: Room;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PreconditionFailed | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Change the name or flags of a room, as an owner */
  'PATCH /api/rooms/{room}': {
    path: { 'room': string };
    header?: { 'If-Match'?: string };
    body: {
      /** The name of the room. Names need not be unique. Must have 1 to 100 characters and not be blank. */
      name?: string;
      /** Whether all users who see the room may join it. Must be true or false. */
      is_open?: boolean;
      /** Whether non-members see the room, also in the directory. Must be true or false. */
      is_visible?: boolean;
    };
    data: Room;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PreconditionFailed | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Delete a room with everything in it; after a 503, repeat the request */
  'DELETE /api/rooms/{room}': {
    path: { 'room': string };
    header?: { 'If-Match'?: string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PreconditionFailed | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get the details of a room, as a member */
  'GET /api/rooms/{room}/details': {
    path: { 'room': string };
    header?: { 'If-None-Match'?: string };
    data: RoomDetails;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Change the topic of a room, or archive or unarchive it, as an owner; put it on hold or make it a default room, as an administrator */
  'PATCH /api/rooms/{room}/details': {
    path: { 'room': string };
    header?: { 'If-Match'?: string };
    body: {
      /** The topic of the room; an empty text removes it. Must be a text of at most 250 characters. */
      topic?: string;
      /** Whether the room is archived. An archived room can be read but not changed. Must be true or false. */
      archived?: boolean;
      /** Whether every new account joins the room; only administrators may change it. Must be true or false. */
      is_default?: boolean;
      /** Whether messages are kept however old they are, for example for a court; only administrators can see and change it. Must be true or false. */
      is_held?: boolean;
      /** The lowest role that may use `@room` and `@here`, at most once a minute, in rooms of up to 1,000 members. Must be 'member' or 'moderator' or 'owner'. */
      mention_all_role?: 'member' | 'moderator' | 'owner';
      /** The days until messages are deleted for good, at most `RETENTION_DAYS`; null for the default. Must be null, or from 1 to 36500. */
      retention_days?: null | number;
    };
    data: RoomDetails;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PreconditionFailed | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Read the picture of a room that is visible or has the caller as a member */
  'GET /api/rooms/{room}/avatar': {
    path: { 'room': string };
    query?: { 'version'?: string };
    header?: { 'If-None-Match'?: string };
    data: unknown;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | InternalError | ServiceUnavailable;
  };
  /** Set the picture of a room, as an owner: the bytes of a square WebP, PNG or JPEG, at most 64 kB */
  'PUT /api/rooms/{room}/avatar': {
    path: { 'room': string };
    body: Blob;
    data: RoomDetails;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Remove the picture of a room, as an owner */
  'DELETE /api/rooms/{room}/avatar': {
    path: { 'room': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the valid invitations to a room: all as a moderator, your own as a member */
  'GET /api/rooms/{room}/invitations': {
    path: { 'room': string };
    data: Invitation[];
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Create an invitation to a room, as a member or, if `INVITATIONS` is `moderators`, as a moderator, and optionally e-mail it; its `code` is shown only once */
  'POST /api/rooms/{room}/invitations': {
    path: { 'room': string };
    body: {
      /** The time of expiry; without it, the invitation does not expire. Must be a time such as '2026-11-21T04:04:42.123Z'. */
      expires_at?: SentTime | string;
      /** The number of people who may use the invitation; without it, any number. Must be from 1 to 10000. */
      uses?: number;
      /** An address to send the link to. Such an invitation can be used once, unless `uses` says otherwise. Must be an e-mail address. */
      email?: string;
    };
    data: NewInvitation;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Revoke an invitation at once: any as a moderator, your own as a member */
  'DELETE /api/rooms/{room}/invitations/{invitation}': {
    path: { 'room': string; 'invitation': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Count the members, messages, files, invitations and webhooks that deleting a room would remove */
  'GET /api/rooms/{room}/usage': {
    path: { 'room': string };
    data: RoomUsage;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** List the webhooks of a room, as a moderator */
  'GET /api/rooms/{room}/webhooks': {
    path: { 'room': string };
    data: Webhook[];
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Create a webhook of a room, as a moderator; its `secret` is shown only once */
  'POST /api/rooms/{room}/webhooks': {
    path: { 'room': string };
    body: {
      /** The name under which it posts. Must have 1 to 64 characters and not be blank. */
      name?: string;
      /** The receiver of the room's events; without it, the webhook is incoming. Must be an address that begins with https://. */
      url?: string;
      /** The types of the events to send, by default `message.created`. Must be a list of some of message.created, message.edited, message.deleted, message.pinned, message.unpinned, reaction.added, reaction.removed, action.pressed, member.joined, member.left, member.kicked, member.banned, member.changed, room.changed, room.archived. */
      events?: ('message.created' | 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed' | 'action.pressed' | 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed' | 'room.changed' | 'room.archived')[];
    };
    data: NewWebhook;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get an outgoing webhook and its last deliveries, as a moderator */
  'GET /api/rooms/{room}/webhooks/{webhook}': {
    path: { 'room': string; 'webhook': string };
    data: WebhookDetails;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | InternalError | ServiceUnavailable;
  };
  /** Send a test event to an outgoing webhook, as a moderator, and get the result */
  'POST /api/rooms/{room}/webhooks/{webhook}': {
    path: { 'room': string; 'webhook': string };
    body: Record<string, never>;
    data: WebhookDelivery;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Change an outgoing webhook, replace its secret, or resend events, as a moderator */
  'PATCH /api/rooms/{room}/webhooks/{webhook}': {
    path: { 'room': string; 'webhook': string };
    body: {
      /** The name under which it posts, also what it has posted before. Must have 1 to 64 characters and not be blank. */
      name?: string;
      /** Whether it sends events; a receiver that fails for a day, or answers 410, switches it off. Must be true or false. */
      is_enabled?: boolean;
      /** The place of the room after which it sends everything, also what it has sent before. Must be from 0 to 9007199254740991. */
      seq?: number;
      /** `true` creates a new secret, shown only once. The old one stays valid for 24 hours. Must be true or false. */
      new_secret?: boolean;
    };
    data: WebhookDetails;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Revoke a webhook at once, as a moderator; its messages stay */
  'DELETE /api/rooms/{room}/webhooks/{webhook}': {
    path: { 'room': string; 'webhook': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the slash commands of the bots in a room, as a member */
  'GET /api/rooms/{room}/commands': {
    path: { 'room': string };
    data: RoomCommand[];
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Call a slash command, as a member; its bot answers within 5 seconds, to the room or to the caller */
  'POST /api/rooms/{room}/commands': {
    path: { 'room': string };
    body: {
      /** The name of the command, without the slash. Must be 1 to 32 lower-case letters, digits, underscores or hyphens, and begin with a letter or a digit. */
      command: string;
      /** The text after the name. Must be a text of at most 4000 characters. */
      text?: string;
      /** The message whose thread the command is called in. Must be an id of 24 hexadecimal characters. */
      thread?: SentId | string;
      /** An id chosen by the caller. Repeated calls with the same id in a room have the same `webhook-id`, and the answer is posted once. Must be 1 to 64 letters, digits, underscores or hyphens. */
      id?: string;
    };
    data: CommandResult;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Post a message with a webhook: a `text`, Slack's format, or an event of GitHub, GitLab, Alertmanager or Grafana */
  'POST /api/webhooks/{secret}': {
    path: { 'secret': string };
    header?: { 'Idempotency-Key'?: string };
    body: {
      /** The text of the message: Markdown if it is the only field, otherwise Slack's markup. */
      text?: string;
    };
    data: 'ok' | Message;
    error: BadRequest | NotFound | NotAcceptable | Conflict | PayloadTooLarge | KeyReused | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Show the room and the creator of an invitation, without using it */
  'POST /api/invitations': {
    body: {
      /** The code of the invitation. Must be the 32 characters of an invitation. */
      invitation: string;
    };
    data: InvitationTarget;
    error: BadRequest | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | InternalError | ServiceUnavailable;
  };
  /** List the visible rooms by name, optionally those that match `q` */
  'GET /api/directory': {
    query?: { 'q'?: string; 'limit'?: number; 'after'?: string };
    data: ListedRoom[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Create a room of any kind, which the caller owns; only administrators can if `ROOM_CREATION` is `admins` */
  'POST /api/directory': {
    header?: { 'Idempotency-Key'?: string };
    body: {
      /** The name of the room. Names need not be unique. Must have 1 to 100 characters and not be blank. */
      name: string;
      /** The topic of the room; an empty text removes it. Must be a text of at most 250 characters. */
      topic?: string;
      /** Whether all users who see the room may join it. Must be true or false. */
      is_open?: boolean;
      /** Whether non-members see the room, also in the directory. Must be true or false. */
      is_visible?: boolean;
    };
    data: Room;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | KeyReused | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the members of a `room`, or the memberships of a `user` */
  'GET /api/members': {
    query?: { 'room'?: string; 'q'?: string; 'user'?: 'me' | string; 'since'?: string; 'limit'?: number; 'after'?: string };
    data: Member[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Gone | InternalError | ServiceUnavailable;
  };
  /** Join an open `room`, join by `invitation`, or add another user, as a member or, if `INVITATIONS` is `moderators`, as a moderator (with a `role`, as an owner) */
  'POST /api/members': {
    body: {
      /** The room to join, or to add a user to; optional with `invitation`. Must be an id of 24 hexadecimal characters. */
      room?: SentId | string;
      /** The id of the user to add; without it and `username`, the caller joins. Must be an id of 24 hexadecimal characters. */
      user?: SentId | string;
      /** The name of the user to add. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit. */
      username?: string;
      /** The code of an invitation, also to a closed or hidden room. Must be the 32 characters of an invitation. */
      invitation?: string;
      /** The role: owners change the room and its members, moderators remove people and messages. Must be 'owner' or 'moderator' or 'member'. */
      role?: 'owner' | 'moderator' | 'member';
    };
    data: Member;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get a member of a room, as another member */
  'GET /api/members/{member}': {
    path: { 'member': string };
    data: Member;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Change the caller's read marker, mute or favourite settings, or change a member's role as an owner */
  'PATCH /api/members/{member}': {
    path: { 'member': string };
    body: {
      /** The last `seq` that the member has read. The marker only moves forward. Must be from 0 to 9007199254740991. */
      last_read?: number;
      /** The `seq` of the first message to mark as unread. Must be from 1 to 9007199254740991. */
      unread_from?: number;
      /** Whether to mute the notifications of this room. Must be true or false. */
      is_muted?: boolean;
      /** The messages of this room that notify devices, unless it is muted. `all`: all. `mentions`: mentions, and replies in followed threads. Null: each device decides (`of` of its push subscription). Must be null, or 'all' or 'mentions'. */
      notify_of?: null | 'all' | 'mentions';
      /** Whether the room is one of the favourites, which pages list first. Must be true or false. */
      is_favourite?: boolean;
      /** The position among the favourites: lower numbers first, rooms without a number last, by name. It is removed when the room stops being a favourite. Must be from 0 to 9007199254740991. */
      favourite_order?: number;
      /** The role: owners change the room and its members, moderators remove people and messages. Must be 'owner' or 'moderator' or 'member'. */
      role?: 'owner' | 'moderator' | 'member';
    };
    data: Member;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Leave a room, or remove a member, optionally with a ban, as a moderator */
  'DELETE /api/members/{member}': {
    path: { 'member': string };
    query?: { 'ban'?: 'true' | 'false' };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the banned users of a room, as a moderator */
  'GET /api/bans': {
    query: { 'room': string; 'limit'?: number; 'after'?: string };
    data: Ban[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Lift a ban, as a moderator; the user may join again */
  'DELETE /api/bans': {
    query: { 'room': string; 'user': string };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Open the direct conversation with one or more users, and create it if necessary */
  'POST /api/conversations': {
    body: {
      /** The other users, each by id or name. They always share the same conversation. Must be a list of 1 to 8 ids or usernames. */
      users: (SentId | string | string)[];
    };
    data: Room;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the users that the caller has blocked */
  'GET /api/blocks': {
    query?: { 'limit'?: number; 'after'?: string };
    data: OtherUser[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Block a user, without notifying them: hides direct conversations, and prevents them from adding the caller to rooms */
  'POST /api/blocks': {
    body: {
      /** The id of the user to block; this or `username` is required. Must be an id of 24 hexadecimal characters. */
      user?: SentId | string;
      /** The name of the user to block. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit. */
      username?: string;
    };
    data: OtherUser;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Unblock a user; messages sent in the meantime become visible */
  'DELETE /api/blocks': {
    query: { 'user': string };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Read or search the messages of a room, newest first by default; without `room`, search all rooms of the caller or list mentions */
  'GET /api/messages': {
    query?: { 'room'?: string; 'limit'?: number; 'before'?: number; 'after'?: number; 'around'?: number; 'at'?: string; 'thread'?: string; 'user'?: string; 'is_in_room'?: 'true'; 'pinned'?: 'true'; 'mentions'?: 'me'; 'q'?: string; 'order'?: 'best' | 'newest'; 'since'?: string; 'until'?: string; 'has'?: 'file' | 'picture' | 'link'; 'cursor'?: string };
    data: Message[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Send a message: a text, files, or both */
  'POST /api/messages': {
    header?: { 'Idempotency-Key'?: string };
    body: {
      /** The room to send to. Must be an id of 24 hexadecimal characters. */
      room: SentId | string;
      /** The text of the message; optional with files. `@name` mentions a member, `@room` all members and `@here` the connected ones, except in code, in an address or after a backslash. Line breaks of all kinds become newlines; colour sequences of terminals are removed. Must have 1 to 10000 characters and not be blank. */
      text?: string;
      /** The files of the message, each uploaded by the caller for this room. Must be a list of at most 10 different ids. */
      files?: (SentId | string)[];
      /** The message to reply to. A reply to a reply joins the thread of the first message. Must be an id of 24 hexadecimal characters. */
      thread?: SentId | string;
      /** True: the text follows in chunks, by PATCH. For bots and agents; `text` is then optional. Must be true or false. */
      is_streaming?: boolean;
      /** Whether a reply is also shown in the room; by default only in its thread. Must be true or false. */
      is_in_room?: boolean;
      /** The buttons below the message, or the options of its select. Only bots and agents can send them. At most 16 kB. Must be a list of 1 to 10 buttons, or of 1 to 100 options of a select. */
      actions?: SentAction[];
      /** Whether the actions are the options of one select instead of buttons. Must be true or false. */
      is_select?: boolean;
      /** How many presses count: the first one, or the first one of each person. `one` if omitted. Must be 'one' or 'one_each'. */
      answers?: 'one' | 'one_each';
      /** The time after which no action can be pressed. Must be a time such as '2026-11-21T04:04:42.123Z'. */
      expires_at?: SentTime | string;
      /** Whether each press is recorded in the audit log with the text, which is final after the first press. The text then has at most 1000 characters. Must be true or false. */
      is_approval?: boolean;
    };
    data: Message;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | KeyReused | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Read a message */
  'GET /api/messages/{message}': {
    path: { 'message': string };
    header?: { 'If-None-Match'?: string };
    data: Message;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Change the text of the caller's own message, or append to one that streams */
  'PATCH /api/messages/{message}': {
    path: { 'message': string };
    header?: { 'If-Match'?: string };
    body: {
      /** The text of the message; optional with files. `@name` mentions a member, `@room` all members and `@here` the connected ones, except in code, in an address or after a backslash. Line breaks of all kinds become newlines; colour sequences of terminals are removed. Must have 1 to 10000 characters and not be blank. */
      text?: string;
      /** Text to append to a message that streams, with `at`. Only newlines and tabs are allowed as control characters. Must have 1 to 10000 characters. */
      append?: string;
      /** The number of characters before `append`, or of the complete text with `is_streaming`. A repeated chunk changes nothing. Must be from 0 to 9007199254740991. */
      at?: number;
      /** False: the text is complete, with `append` if there is one. Must be true or false. */
      is_streaming?: boolean;
    };
    data: Message;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PreconditionFailed | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Delete a message; it keeps its place and loses its text and its files */
  'DELETE /api/messages/{message}': {
    path: { 'message': string };
    header?: { 'If-Match'?: string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PreconditionFailed | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Announce a file for a room; upload its bytes as the answer says, then send it with `files` of `POST /api/messages` */
  'POST /api/files': {
    header?: { 'Idempotency-Key'?: string };
    body: {
      /** The room to send it to. Must be an id of 24 hexadecimal characters. */
      room: SentId | string;
      /** The name that others see, and under which they store it. Must have 1 to 255 characters and not be blank. */
      name: string;
      /** The media type. If it is shown in place, it must match the bytes when the file is sent. Must be a media type such as image/png. */
      type: string;
      /** The number of bytes; `limits.file_bytes` of `GET /api/health` is the most. Must be from 0 to 9007199254740991. */
      size: number;
      /** The SHA-256 of the bytes. Must be a SHA-256 in hexadecimal. */
      sha256: string;
      /** The width of a picture or a video, in pixels. Must be from 1 to 100000. */
      width?: number;
      /** Its height. Must be from 1 to 100000. */
      height?: number;
      /** The length of a recording, in seconds. Must be from 0 to 1000000. */
      duration?: number;
      /** A description for people who cannot see it. Searches find the message by it. Must be a text of at most 500 characters. */
      alt?: string;
      /** A small preview, which is uploaded as well. Must have a 'type' of image/webp, image/jpeg, image/png, a 'size' of at most 65536 bytes and a 'sha256'. */
      preview?: {
        /** The media type. */
        type: 'image/webp' | 'image/jpeg' | 'image/png';
        /** The number of bytes. */
        size: number;
        /** The SHA-256 of the bytes. */
        sha256: string;
      };
    };
    data: AnnouncedFile;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | KeyReused | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Take back a file that was announced and not sent, and free its space */
  'DELETE /api/files/{file}': {
    path: { 'file': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Read a file, or a part of it, if the caller may read its message */
  'GET /api/files/{file}/content': {
    path: { 'file': string };
    query?: { 'preview'?: 'true'; 'download'?: 'true' };
    header?: { 'Range'?: string; 'If-None-Match'?: string };
    data: unknown;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | RangeNotSatisfiable | InternalError | ServiceUnavailable;
  };
  /** Upload the bytes of a file that the caller has announced */
  'PUT /api/files/{file}/content': {
    path: { 'file': string };
    query?: { 'preview'?: 'true' };
    body: Blob;
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** React to a message */
  'PUT /api/messages/{message}/reactions/{emoji}': {
    path: { 'message': string; 'emoji': string };
    header?: { 'If-Match'?: string };
    body: Record<string, never>;
    data: Message;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PreconditionFailed | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Remove a reaction */
  'DELETE /api/messages/{message}/reactions/{emoji}': {
    path: { 'message': string; 'emoji': string };
    header?: { 'If-Match'?: string };
    data: Message;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PreconditionFailed | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Press an action of a message */
  'PUT /api/messages/{message}/actions/{action}': {
    path: { 'message': string; 'action': string };
    body: {
      /** The version of the text that was read; required for an approval. If the text was edited since, the press is refused. Must be from 1 to 9007199254740991. */
      version?: number;
    };
    data: Message;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Pin a message */
  'PUT /api/messages/{message}/pin': {
    path: { 'message': string };
    header?: { 'If-Match'?: string };
    body: Record<string, never>;
    data: Message;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PreconditionFailed | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Unpin a message */
  'DELETE /api/messages/{message}/pin': {
    path: { 'message': string };
    header?: { 'If-Match'?: string };
    data: Message;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PreconditionFailed | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Save a message for the caller, optionally with a reminder */
  'PUT /api/messages/{message}/save': {
    path: { 'message': string };
    body: {
      /** The time of the reminder, on all devices. Null removes it, and omitting it changes nothing. Must be null, or a time such as '2026-11-21T04:04:42.123Z'. */
      remind_at?: null | SentTime | string;
    };
    data: SavedMessage;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Remove a saved message */
  'DELETE /api/messages/{message}/save': {
    path: { 'message': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Call the service as an agent, by the Model Context Protocol (2026-07-28, or 2025-11-25 without sessions) */
  'POST /api/mcp': {
    body: JsonRpcCall;
    data: JsonRpcAnswer;
    error: JsonRpcAnswer | Unauthenticated | PermissionDenied | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | InternalError | ServiceUnavailable;
  };
  /** List the caller's saved messages that are still readable, last saved first, or those with a reminder */
  'GET /api/saved': {
    query?: { 'reminders'?: 'true'; 'limit'?: number; 'after'?: string };
    data: SavedMessage[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** List mentions, replies in followed threads, reactions and additions to rooms of the last 90 days, newest first */
  'GET /api/notifications': {
    query?: { 'limit'?: number; 'after'?: string };
    data: Notification[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Mark notifications up to a time as read, on all devices */
  'PATCH /api/notifications': {
    body: {
      /** The `at` of the newest notification that the caller has read. It only moves forward. Must be a time such as '2026-11-21T04:04:42.123Z'. */
      read_until: SentTime | string;
    };
    data: NotificationReading;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Show a page with a button that turns off e-mails about unread messages; changes nothing */
  'GET /api/email-digest/{link}': {
    path: { 'link': string };
    data: string;
    error: NotFound | InternalError | ServiceUnavailable;
  };
  /** Turn off e-mails about unread messages, by the link in each of them (RFC 8058) */
  'POST /api/email-digest/{link}': {
    path: { 'link': string };
    body: Blob;
    data: string;
    error: NotFound | InternalError | ServiceUnavailable;
  };
  /** Get the push subscription of the caller's token, and the key to subscribe with */
  'GET /api/push-subscription': {
    data: PushSubscription;
    error: Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Subscribe the device of the caller's token to pushes, until the token ends */
  'PUT /api/push-subscription': {
    body: {
      /** The address at the push service of the browser: https, and at one that the service knows. Must be an address that begins with https://. */
      endpoint: string;
      /** The public key of the device, `getKey("p256dh")`. Must be a public key of P-256 in base64url. */
      p256dh: string;
      /** The shared secret, `getKey("auth")`. Must be a secret of 16 bytes in base64url. */
      auth: string;
      /** The public key of the service that the device subscribed with. Must be a public key of P-256 in base64url. */
      key: string;
      /** `mine`: mentions, conversations, and replies in followed threads. `all`: all messages. A muted room, or one with a `notify_of` of its own, goes by that. Must be 'mine' or 'all'. */
      of?: 'mine' | 'all';
      /** Send a push now, to see that it arrives. Must be true or false. */
      send_test?: boolean;
    };
    data: PushSubscription;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** End the push subscription of the caller's token */
  'DELETE /api/push-subscription': {
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the threads that the caller follows, latest reply first */
  'GET /api/threads': {
    query?: { 'unread'?: 'true'; 'limit'?: number; 'after'?: string };
    data: Thread[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Get a thread with the caller's read marker, and whether the caller follows it */
  'GET /api/threads/{message}': {
    path: { 'message': string };
    data: Thread;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Move the caller's read marker of a thread, follow or unfollow it, or show what a bot does there */
  'PATCH /api/threads/{message}': {
    path: { 'message': string };
    body: {
      /** The last `seq` of the replies that the caller has read. The marker only moves forward. Must be from 0 to 9007199254740991. */
      last_read?: number;
      /** Whether the caller follows the thread. Users follow threads that they started, replied in or were mentioned in. Must be true or false. */
      is_followed?: boolean;
      /** A status line of the caller, a bot or an agent, in the thread, such as "Running tests…". Connected members see it for 30 seconds; renew it before. An empty text ends it. Must be a text of at most 100 characters. */
      activity?: string;
    };
    data: Thread;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Read the events of a room after a cursor, without gaps; without a cursor, get the current one */
  'GET /api/events': {
    query: { 'room': string; 'after'?: string; 'limit'?: number };
    data: Event[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Gone | InternalError | ServiceUnavailable;
  };
  /** Find a user by `username`, or search users in shared rooms by name with `q`; administrators search all users */
  'GET /api/users': {
    query?: { 'username'?: string; 'q'?: string; 'room'?: string; 'limit'?: number; 'after'?: string };
    data: (User | OtherUser)[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Sign up: create an account and start its first session; with `cookie`, the browser keeps the token */
  'POST /api/users': {
    body: {
      /** The name that others see and mention. It cannot be changed. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit, not end in a dot, and not be 24 hexadecimal digits. */
      username: string;
      /** The full name, in any script, which others see. An empty text removes it. Must be empty, or have 1 to 64 characters and not be blank. */
      name?: '' | string;
      /** An e-mail address that no other account has. Must be an e-mail address. */
      email: string;
      /** The new password of the account. Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
      password: string;
      /** Whether the account is an administrator; only administrators may create one. Must be true or false. */
      is_admin?: boolean;
      /** The code of an invitation to a room, which the account joins. Must be the 32 characters of an invitation. */
      invitation?: string;
      /** The code sent to the address, if `EMAIL_CONFIRMATION` requires one. Must be the 32 characters of a code. */
      code?: string;
      /** Whether the browser keeps the token in a cookie. The answer then lacks `token`. Must be true or false. */
      cookie?: boolean;
    };
    data: NewUser;
    error: BadRequest | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get a user; only the user and administrators see all fields */
  'GET /api/users/{user}': {
    path: { 'user': 'me' | string };
    data: User | OtherUser;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Change an account; a new password ends all other sessions and, without `keep_tokens`, all other tokens */
  'PATCH /api/users/{user}': {
    path: { 'user': 'me' | string };
    body: {
      /** The full name, in any script, which others see. An empty text removes it. Must be empty, or have 1 to 64 characters and not be blank. */
      name?: '' | string;
      /** The status that others see beside the name. Null removes it. Must be null, or have a 'text' of at most 100 characters, one 'emoji', or both, and maybe a time 'until'. */
      status?: null | NewStatus;
      /** The end of the pause of notifications; null ends it now. Must be null, or a time such as '2026-11-21T04:04:42.123Z'. */
      quiet_until?: null | SentTime | string;
      /** The daily hours without notifications; null removes them. Must be null, or have two times 'from' and 'to' such as '22:00' and '07:00', and a 'time_zone' such as 'Europe/Berlin'. */
      quiet_hours?: null | NewQuietHours;
      /** Whether notifications have only the sender and the room, without the text. Must be true or false. */
      hides_push_text?: boolean;
      /** Whether the user gets e-mails about unread messages after a day away, at most one a day. Must be true or false. */
      email_digest?: boolean;
      /** Whether people in shared rooms see when the user is active. Must be true or false. */
      shows_presence?: boolean;
      /** An e-mail address that no other account has. Must be an e-mail address. */
      email?: string;
      /** The code sent to the address, if `EMAIL_CONFIRMATION` requires one. Must be the 32 characters of a code. */
      code?: string;
      /** The new password of the account. Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
      password?: string;
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
      /** A code of the second factor, if that is on. A session whose owner confirmed their identity in the last ten minutes needs neither code nor password. Must be six digits or the 16 characters of a recovery code. */
      second_factor?: string;
      /** Whether the named tokens stay valid after the new password. Must be true or false. */
      keep_tokens?: boolean;
      /** Whether the account is an administrator; only administrators may change it. Must be true or false. */
      is_admin?: boolean;
      /** Whether the account can be used; only administrators may change it. `false` ends sessions and suspends tokens. Must be true or false. */
      is_active?: boolean;
      /** False disconnects the account from the identity provider; it must be the only change. For the own account, the session must be less than ten minutes old. Administrators can disconnect others. Must be true or false. */
      is_connected?: boolean;
    };
    data: User;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Delete an account; its messages stay, under the name `(deleted)` */
  'DELETE /api/users/{user}': {
    path: { 'user': 'me' | string };
    body?: {
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
      /** A code of the second factor, if that is on. A session whose owner confirmed their identity in the last ten minutes needs neither code nor password. Must be six digits or the 16 characters of a recovery code. */
      second_factor?: string;
    };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Read the picture of a user */
  'GET /api/users/{user}/avatar': {
    path: { 'user': 'me' | string };
    query?: { 'version'?: string };
    header?: { 'If-None-Match'?: string };
    data: unknown;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | InternalError | ServiceUnavailable;
  };
  /** Set the picture of an account: the bytes of a square WebP, PNG or JPEG, at most 64 kB */
  'PUT /api/users/{user}/avatar': {
    path: { 'user': 'me' | string };
    body: Blob;
    data: User;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Remove the picture of an account */
  'DELETE /api/users/{user}/avatar': {
    path: { 'user': 'me' | string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Create a one-time password-reset code and link, valid for one hour */
  'POST /api/users/{user}/codes': {
    path: { 'user': string };
    body: Record<string, never>;
    data: PasswordCode;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the audit log, newest entry first: actor, action, target, time and address */
  'GET /api/audit': {
    query?: { 'actor'?: string; 'action'?: 'user.created' | 'user.promoted' | 'user.demoted' | 'user.deactivated' | 'user.activated' | 'user.deleted' | 'user.email_changed' | 'user.password_changed' | 'user.profile_changed' | 'user.code_created' | 'user.sessions_ended' | 'user.second_factor_reset' | 'user.limits_lifted' | 'user.rate_changed' | 'user.held' | 'user.released' | 'user.exported' | 'user.disconnected' | 'bot.created' | 'bot.changed' | 'bot.deleted' | 'token.created' | 'token.revoked' | 'app.connected' | 'app.registered' | 'app.removed' | 'room.created' | 'room.read' | 'room.changed' | 'room.archived' | 'room.unarchived' | 'room.held' | 'room.released' | 'room.exported' | 'room.deleted' | 'member.added' | 'member.role_changed' | 'member.removed' | 'ban.lifted' | 'invitation.created' | 'invitation.mailed' | 'invitation.revoked' | 'webhook.created' | 'webhook.changed' | 'webhook.revoked' | 'data.exported' | 'data.imported' | 'data.backed_up' | 'data.restored' | 'data.loss_acknowledged' | 'data.converted' | 'data.conversion_undone' | 'data.links_created' | 'push_key.exported' | 'push_key.rotated' | 'action.pressed' | 'audit.exported'; 'target'?: string; 'from'?: string; 'to'?: string; 'limit'?: number; 'after'?: number };
    data: AuditEntry[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** List the settings of the service, without its secrets */
  'GET /api/settings': {
    data: Setting[];
    error: Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Get the numbers of the service, and the things that need attention */
  'GET /api/overview': {
    data: Overview;
    error: Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** List all rooms by name, including hidden and archived ones, optionally those that match `q` */
  'GET /api/overview/rooms': {
    query?: { 'q'?: string; 'room'?: string; 'limit'?: number; 'after'?: string };
    data: ManagedRoom[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** List the valid invitations to all rooms, with their creators */
  'GET /api/overview/invitations': {
    query?: { 'limit'?: number; 'after'?: string };
    data: ListedInvitation[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** List the webhooks of all rooms and bots, with their creators and last failures */
  'GET /api/overview/webhooks': {
    query?: { 'limit'?: number; 'after'?: string; 'is_off'?: 'true' };
    data: ListedWebhook[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** List the largest files and the top uploaders, without file names */
  'GET /api/overview/files': {
    data: FileOverview;
    error: Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Count the sessions, tokens, rooms and files of an account */
  'GET /api/users/{user}/usage': {
    path: { 'user': string };
    data: Usage;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Put an account on hold, so that its messages do not expire, or set its write rate */
  'PATCH /api/users/{user}/usage': {
    path: { 'user': string };
    body: {
      /** Whether the account's messages in all rooms are kept however old they are, for example for a court. Must be true or false. */
      is_held?: boolean;
      /** The account's sustained rate of messages and changes per second, with bursts of five times as many; null for the default. Must be null, or from 1 to 10000. */
      writes_per_second?: null | number;
    };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Reset the limits of an account: wrong passwords, changes, e-mails and conversations */
  'DELETE /api/users/{user}/usage': {
    path: { 'user': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** E-mail a one-time code, for a new password or to confirm the address; the answer does not reveal whether an account exists */
  'POST /api/codes': {
    body: {
      /** The address to send the code to. Must be an e-mail address. */
      email: string;
      /** `password` for a new password, `address` for a sign-up or a new address. Must be 'password' or 'address'. */
      purpose: 'password' | 'address';
    };
    data: undefined;
    error: BadRequest | PermissionDenied | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Set a new password with a one-time code; all sessions and named tokens of the account end */
  'PUT /api/password': {
    body: {
      /** The code from the e-mail or from an administrator. Must be the 32 characters of a code. */
      code: string;
      /** The new password of the account. Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
      password: string;
    };
    data: undefined;
    error: BadRequest | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | InternalError | ServiceUnavailable;
  };
  /** Check whether the service has an administrator, and whether the caller is signed in */
  'GET /api/setup': {
    data: Setup;
    error: NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Create the first administrator with the one-time code from the server's output, and start a session */
  'POST /api/setup': {
    body: {
      /** The code that the server or `npm run admin -- setup` prints. Must be the 32 characters of a code. */
      code: string;
      /** The name that others see and mention. It cannot be changed. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit, not end in a dot, and not be 24 hexadecimal digits. */
      username: string;
      /** The full name, in any script, which others see. An empty text removes it. Must be empty, or have 1 to 64 characters and not be blank. */
      name?: '' | string;
      /** An e-mail address that no other account has. Must be an e-mail address. */
      email: string;
      /** The new password of the account. Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
      password: string;
      /** Whether the browser keeps the token in a cookie. The answer then lacks `token`. Must be true or false. */
      cookie?: boolean;
    };
    data: NewUser;
    error: BadRequest | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the caller's sessions or, as an administrator, those of another `user` */
  'GET /api/sessions': {
    query?: { 'user'?: string; 'limit'?: number; 'after'?: string };
    data: Session[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Log in with a username or e-mail address and a password; with `cookie`, the browser keeps the token */
  'POST /api/sessions': {
    body: {
      /** The username or the e-mail address of the account. Must be a text that is not empty. */
      username: string;
      /** The password of the account. Must be a text that is not empty. */
      password: string;
      /** A code of the second factor, if the account has one: of the app, or a recovery code. Must be six digits or the 16 characters of a recovery code. */
      second_factor?: string;
      /** Whether the browser keeps the token in a cookie. The answer then lacks `token`. Must be true or false. */
      cookie?: boolean;
    };
    data: NewSession;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** End all other sessions of the caller or, as an administrator, all sessions of another `user` */
  'DELETE /api/sessions': {
    query?: { 'user'?: string; 'tokens_since'?: string };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Confirm the caller's identity in the `current` session, with the password and, if a second factor is on, a code. For ten minutes, administrators can then do what answers `proof_required` */
  'PATCH /api/sessions/{session}': {
    path: { 'session': 'current' | string };
    body: {
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
      /** A code of the second factor, if that is on. Must be six digits or the 16 characters of a recovery code. */
      code?: string;
    };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** End a session at once; `current` logs out */
  'DELETE /api/sessions/{session}': {
    path: { 'session': 'current' | string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Check whether the caller's second factor is on */
  'GET /api/second-factor': {
    data: SecondFactor;
    error: Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Start setting up a second factor: get its secret, shown only once; requires `current_password` */
  'POST /api/second-factor': {
    body: {
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
    };
    data: NewSecondFactor;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Turn on the second factor with a code; ends all other sessions. If it is on, create new recovery codes, which requires `current_password` */
  'PUT /api/second-factor': {
    body: {
      /** The six digits that the authenticator app shows, or a recovery code. Must be six digits or the 16 characters of a recovery code. */
      code: string;
      /** The current password, for new recovery codes of a second factor that is on. Must be a text that is not empty. */
      current_password?: string;
    };
    data: RecoveryCodes;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Turn the second factor off with a code; administrators reset another `user`, which ends their sessions */
  'DELETE /api/second-factor': {
    query?: { 'user'?: string };
    body?: {
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
      /** A code of the caller’s second factor. Must be six digits or the 16 characters of a recovery code. */
      code?: string;
    };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the caller's passkeys, and whether passkeys are available */
  'GET /api/passkeys': {
    data: Passkeys;
    error: Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Start adding a passkey: get the options for `navigator.credentials.create()`; requires `current_password`, and `code` with a second factor */
  'POST /api/passkeys': {
    body: {
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
      /** A code of the second factor, if it is on, unless the session began with a passkey less than ten minutes ago. Must be six digits or the 16 characters of a recovery code. */
      code?: string;
    };
    data: NewPasskey;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Add a passkey with the browser's answer; an account has at most 20 */
  'PUT /api/passkeys': {
    body: {
      /** The name of the passkey, for its owner. Must have 1 to 100 characters and not be blank. */
      name?: string;
      /** The id of the credential, `rawId`, in base64url. Must be base64url of at most 1364 characters. */
      credential: string;
      /** `response.clientDataJSON` of the browser, in base64url. Must be base64url of at most 4096 characters. */
      client_data: string;
      /** `response.attestationObject` of the authenticator, in base64url. Must be base64url of at most 4096 characters. */
      attestation: string;
      /** The result of `response.getTransports()`. Must be a list of at most 10 transports, such as internal. */
      transports?: string[];
    };
    data: Passkey;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Rename a passkey */
  'PATCH /api/passkeys/{passkey}': {
    path: { 'passkey': string };
    body: {
      /** Its new name. Must have 1 to 100 characters and not be blank. */
      name: string;
    };
    data: Passkey;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Remove a passkey; requires `current_password` */
  'DELETE /api/passkeys/{passkey}': {
    path: { 'passkey': string };
    body?: {
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
    };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Start a sign-in with a passkey: get the options for `navigator.credentials.get()` */
  'POST /api/passkey-sessions': {
    body: Record<string, never>;
    data: PasskeyChallenge;
    error: BadRequest | PermissionDenied | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Sign in with the signature of a passkey; with `cookie`, the browser keeps the token */
  'PUT /api/passkey-sessions': {
    body: {
      /** The id of the credential, `rawId`, in base64url. Must be base64url of at most 1364 characters. */
      credential: string;
      /** `response.clientDataJSON` of the browser, in base64url. Must be base64url of at most 4096 characters. */
      client_data: string;
      /** `response.authenticatorData` of the authenticator, in base64url. Must be base64url of at most 4096 characters. */
      authenticator_data: string;
      /** Its signature, `response.signature`, in base64url. Must be base64url of at most 2048 characters. */
      signature: string;
      /** The `response.userHandle`, in base64url. Must be base64url of at most 86 characters. */
      user_handle: string;
      /** The username or e-mail address of the account, if known, for example after its password. A passkey of another account is then refused. Must be a text that is not empty. */
      username?: string;
      /** Whether the browser keeps the token in a cookie. The answer then lacks `token`. Must be true or false. */
      cookie?: boolean;
    };
    data: NewSession;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | InternalError | ServiceUnavailable;
  };
  /** Confirm the caller's identity in the current session for ten minutes, with what a passkey has signed */
  'PATCH /api/passkey-sessions': {
    body: {
      /** The id of the credential, `rawId`, in base64url. Must be base64url of at most 1364 characters. */
      credential: string;
      /** `response.clientDataJSON` of the browser, in base64url. Must be base64url of at most 4096 characters. */
      client_data: string;
      /** `response.authenticatorData` of the authenticator, in base64url. Must be base64url of at most 4096 characters. */
      authenticator_data: string;
      /** Its signature, `response.signature`, in base64url. Must be base64url of at most 2048 characters. */
      signature: string;
      /** The `response.userHandle`, in base64url. Must be base64url of at most 86 characters. */
      user_handle: string;
    };
    data: undefined;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Start a sign-in at the identity provider: open `url` in the browser */
  'POST /api/oidc/start': {
    body: {
      /** The identity provider, by its id in `OIDC_PROVIDERS`; without one, that of the first button. Must be the id of an identity provider. */
      provider?: string;
      /** The address where the page continues afterwards. Must be a path of the page, such as /rooms. */
      path?: string;
      /** The code of an invitation to a room, which a new account joins. Must be the 32 characters of an invitation. */
      invitation?: string;
      /** Whether the provider’s person is linked to the account of the caller, whose session must be less than ten minutes old. Must be true or false. */
      link?: boolean;
      /** A code for a new password. It connects the person at the provider with the account instead, also if passwords are off. Must be the 32 characters of a code. */
      code?: string;
    };
    data: OidcStart;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Complete a sign-in with the answer of the identity provider: starts a session in a cookie, or connects the account */
  'POST /api/oidc/callback': {
    body: {
      /** The `code` that the identity provider gave. Must be a text that is not empty. */
      code: string;
      /** The `state` that it gave back. Must be a text that is not empty. */
      state: string;
      /** The `iss` that it gave, if it did. Must be a text that is not empty. */
      iss?: string;
      /** The last part of the redirect address `/oidc/...`, if there was one. Must be the id of an identity provider. */
      provider?: string;
    };
    data: OidcSignIn;
    error: BadRequest | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** End sessions after a logout at the identity provider (Back-Channel Logout) */
  'POST /api/oidc/logout': {
    body: Blob;
    data: undefined;
    error: BadRequest | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Describe what an app asks for, before its user decides */
  'GET /api/oauth/authorization': {
    query: { 'client_id': string; 'redirect_uri': string; 'response_type'?: string; 'code_challenge'?: string; 'code_challenge_method'?: string; 'scope'?: string; 'state'?: string; 'resource'?: string };
    data: AppRequest;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Allow an app to use the caller's account: creates a code for the app */
  'POST /api/oauth/authorization': {
    body: {
      /** The client id of the app: registered, or the address of its client metadata document. Must be a text of at most 500 ASCII characters. */
      client_id: string;
      /** The address that leads back to the app; exactly one of its redirect URIs. Must be a text of at most 2000 ASCII characters. */
      redirect_uri: string;
      /** Always `code`. Must be a text of at most 50 ASCII characters. */
      response_type?: string;
      /** The SHA-256 of the code verifier (PKCE), in base64url. Must be a text of at most 128 ASCII characters. */
      code_challenge?: string;
      /** Always `S256`. Must be a text of at most 20 ASCII characters. */
      code_challenge_method?: string;
      /** The scopes, separated by spaces; without it, all that apps may have. Must be a text of at most 500 ASCII characters. */
      scope?: string;
      /** A value that the response repeats. Must be a text of at most 1000 ASCII characters. */
      state?: string;
      /** The address of this service, or of its `/api/mcp`. Must be a text of at most 500 ASCII characters. */
      resource?: string;
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
      /** A code of the second factor, if that is on. A session whose owner confirmed their identity in the last ten minutes needs neither code nor password. Must be six digits or the 16 characters of a recovery code. */
      second_factor?: string;
    };
    data: AppAnswer;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Exchange a code or a refresh token for tokens, as an app (RFC 6749) */
  'POST /api/oauth/token': {
    body: Blob;
    data: IssuedTokens;
    error: BadRequest | NotFound | NotAcceptable | PayloadTooLarge | InternalError | ServiceUnavailable;
  };
  /** End the access of an app, as the app (RFC 7009) */
  'POST /api/oauth/revocation': {
    body: Blob;
    data: RevokedToken;
    error: BadRequest | NotFound | NotAcceptable | PayloadTooLarge | InternalError | ServiceUnavailable;
  };
  /** Describe the authorization server (RFC 8414) */
  'GET /.well-known/oauth-authorization-server': {
    data: AuthorizationServer;
    error: NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Describe the API as a protected resource (RFC 9728) */
  'GET /.well-known/oauth-protected-resource': {
    data: ProtectedResource;
    error: NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Describe the endpoint of MCP as a protected resource */
  'GET /.well-known/oauth-protected-resource/api/mcp': {
    data: ProtectedResource;
    error: NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** List the caller's bots; administrators see all */
  'GET /api/bots': {
    query?: { 'limit'?: number; 'after'?: string };
    data: Bot[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Create a bot, as an administrator, or as any user if `BOT_CREATION` is `users` */
  'POST /api/bots': {
    body: {
      /** The name that others see and mention. It cannot be changed. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit, not end in a dot, and not be 24 hexadecimal digits. */
      username: string;
      /** The full name, in any script, which others see. An empty text removes it. Must be empty, or have 1 to 64 characters and not be blank. */
      name?: '' | string;
      /** The user who is responsible for the bot, by default the caller; for administrators. Must be an id of 24 hexadecimal characters. */
      owner?: SentId | string;
    };
    data: Bot;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get a bot and its commands, as its owner or an administrator */
  'GET /api/bots/{bot}': {
    path: { 'bot': string };
    data: BotDetails;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Change a bot, as its owner or an administrator; only administrators can change the owner */
  'PATCH /api/bots/{bot}': {
    path: { 'bot': string };
    body: {
      /** The full name, in any script, which others see. An empty text removes it. Must be empty, or have 1 to 64 characters and not be blank. */
      name?: '' | string;
      /** The owner of the bot, or null for the administrators; only administrators can change it. Its tokens, commands, webhooks and invitations end, because the old owner knows their secrets. Must be null, or an id of 24 hexadecimal characters. */
      owner?: null | SentId | string;
    };
    data: Bot;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Delete a bot, as its owner or an administrator; its messages stay, under the name `(deleted)` */
  'DELETE /api/bots/{bot}': {
    path: { 'bot': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Register or change a slash command, as the bot, its owner or an administrator; each call creates a new `secret`, shown only once */
  'PUT /api/bots/{bot}/commands/{command}': {
    path: { 'bot': string; 'command': string };
    body: {
      /** The address of the bot. Must be an address that begins with https://. */
      url: string;
      /** The purpose of the command, shown to members while they type. Must have 1 to 100 characters and not be blank. */
      description: string;
      /** The arguments after the name, such as `<environment>`. Must be empty, or have 1 to 100 characters and not be blank. */
      usage?: '' | string;
    };
    data: NewBotCommand;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Remove a slash command, as the bot, its owner or an administrator */
  'DELETE /api/bots/{bot}/commands/{command}': {
    path: { 'bot': string; 'command': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get the webhook of a bot and its last deliveries, as its owner or an administrator */
  'GET /api/bots/{bot}/webhook': {
    path: { 'bot': string };
    data: BotWebhook;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Create or replace the webhook of a bot, as its owner or an administrator; each call creates a new `secret`, shown only once */
  'PUT /api/bots/{bot}/webhook': {
    path: { 'bot': string };
    body: {
      /** The receiver of the events. Must be an address that begins with https://. */
      url: string;
      /** The types of the events to send. Omitted: unchanged, or `message.created` for a new webhook. Must be a list of some of message.created, message.edited, message.deleted, message.pinned, message.unpinned, reaction.added, reaction.removed, action.pressed, member.joined, member.left, member.kicked, member.banned, member.changed, room.changed, room.archived. */
      events?: ('message.created' | 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed' | 'action.pressed' | 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed' | 'room.changed' | 'room.archived')[];
      /** `addressed`: events of messages that mention the bot or are in its direct conversations. `all`: events of all messages in its rooms. Omitted: unchanged, or `addressed` for a new webhook. Must be 'addressed' or 'all'. */
      messages?: 'addressed' | 'all';
    };
    data: BotWebhook;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Send a test event to the webhook of a bot, as its owner or an administrator */
  'POST /api/bots/{bot}/webhook': {
    path: { 'bot': string };
    body: Record<string, never>;
    data: WebhookDelivery;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Change the webhook of a bot, replace its secret, or resend events, as its owner or an administrator */
  'PATCH /api/bots/{bot}/webhook': {
    path: { 'bot': string };
    body: {
      /** Whether it sends; a receiver that fails for a day, or answers 410, switches it off. Must be true or false. */
      is_enabled?: boolean;
      /** The types of the events to send. Must be a list of some of message.created, message.edited, message.deleted, message.pinned, message.unpinned, reaction.added, reaction.removed, action.pressed, member.joined, member.left, member.kicked, member.banned, member.changed, room.changed, room.archived. */
      events?: ('message.created' | 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed' | 'action.pressed' | 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed' | 'room.changed' | 'room.archived')[];
      /** Whether to send the events of only `addressed` messages, or of `all`. Must be 'addressed' or 'all'. */
      messages?: 'addressed' | 'all';
      /** A room of the bot whose events are sent again, with `seq`. Must be an id of 24 hexadecimal characters. */
      room?: SentId | string;
      /** The place of the `room` after which it sends everything, also what it has sent before. Must be from 0 to 9007199254740991. */
      seq?: number;
      /** `true` creates a new secret, shown only once. The old one stays valid for 24 hours. Must be true or false. */
      new_secret?: boolean;
    };
    data: BotWebhook;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Remove the webhook of a bot, as its owner or an administrator */
  'DELETE /api/bots/{bot}/webhook': {
    path: { 'bot': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** List the named tokens of the caller, of the caller's bot or, as an administrator, of any user */
  'GET /api/tokens': {
    query?: { 'limit'?: number; 'after'?: string; 'user'?: string };
    data: Token[];
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Create a named token; its 32 characters are shown only once. One that may change something requires `current_password` */
  'POST /api/tokens': {
    body: {
      /** The purpose of the token; unique among the tokens of the account. Must have 1 to 100 characters and not be blank. */
      name: string;
      /** The permitted scopes. A token without any may do everything. Without scopes, and with `account`, `admin` or a scope that ends in `:write`, it requires `current_password` and, if a second factor is on, `second_factor`. A token of a bot has at least one scope. Must be a list of some of rooms:read, rooms:write, members:read, members:write, messages:read, messages:write, account, admin. */
      scopes?: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
      /** The time of expiry; without it, the token does not expire. Must be a time such as '2026-11-21T04:04:42.123Z'. */
      expires_at?: SentTime | string;
      /** Whether an agent uses the token: the messages that it sends show the name of the token. Must be true or false. */
      is_agent?: boolean;
      /** The owner of the token, by default the caller; a bot of the caller, or anyone for administrators. Must be an id of 24 hexadecimal characters. */
      user?: SentId | string;
      /** The current password of the caller, as proof of identity. Must be a text that is not empty. */
      current_password?: string;
      /** A code of the second factor, if that is on. A session whose owner confirmed their identity in the last ten minutes needs neither code nor password. Must be six digits or the 16 characters of a recovery code. */
      second_factor?: string;
    };
    data: NewToken;
    error: BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get a named token, without its 32 characters */
  'GET /api/tokens/{token}': {
    path: { 'token': string };
    data: Token;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Revoke a named token at once */
  'DELETE /api/tokens/{token}': {
    path: { 'token': string };
    data: undefined;
    error: Unauthenticated | PermissionDenied | NotFound | NotAcceptable | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Get a ticket and the address for one WebSocket; the ticket is valid for 30 seconds */
  'POST /api/tickets': {
    body: Record<string, never>;
    data: Ticket;
    error: BadRequest | Unauthenticated | PermissionDenied | NotAcceptable | PayloadTooLarge | UnsupportedMediaType | TooManyRequests | InternalError | ServiceUnavailable;
  };
  /** Check that the service runs and reaches its database */
  'GET /api/health': {
    data: Health;
    error: NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Describe every operation in OpenAPI 3.1 */
  'GET /api/openapi.json': {
    data: Record<string, unknown>;
    error: NotAcceptable | InternalError | ServiceUnavailable;
  };
  /** Describe every frame of a WebSocket in AsyncAPI 3 */
  'GET /api/asyncapi.json': {
    data: Record<string, unknown>;
    error: NotAcceptable | InternalError | ServiceUnavailable;
  };
};

/** The operations that a key makes safe to repeat. */
export const idempotent = ['POST /api/rooms', 'POST /api/webhooks/{secret}', 'POST /api/directory', 'POST /api/messages', 'POST /api/files'] as const;
