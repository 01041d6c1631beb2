// Generated from docs/openapi.json by 'npm run openapi'.

export type Id = {
  /** The 24 hexadecimal characters of the id. */
  $oid: string;
};

export type Room = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** What the room is called; names need not be unique. A conversation is shown by its members. */
  name: string;
  /** The ids of its members, the oldest membership first. */
  members: Id[];
  /** Whether anyone who sees the room may join it. */
  is_open: boolean;
  /** Whether the directory and others than members see the room. */
  is_visible: boolean;
};

export type Time = {
  /** The time, as ISO 8601 in UTC. */
  $date: string;
};

export type RoomDetails = {
  /** The room that these are the details of. */
  room: Id;
  /** What the room is about; may be empty. */
  topic: string;
  /** When it was created. */
  created_at: Time;
  /** The user who created it. */
  created_by: Id;
  /** How many members the room has. */
  member_count: number;
  /** How many messages have been sent in the room, deleted ones included. */
  message_count: number;
  /** When the last message was sent; null before the first. */
  last_message_at: Time | null;
  /** Since when the room is archived: it can be read, and nothing in it changes; null when it is in use. */
  archived_at: Time | null;
  /** Whether it is a conversation of certain people, whom nobody joins or leaves. */
  is_direct: boolean;
};

export type Invitation = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** The room that it belongs to. */
  room: Id;
  /** The last four characters of the secret, to tell things apart in a list. */
  hint: string;
  /** The user who created it. */
  created_by: Id;
  /** When it was created. */
  created_at: Time;
  /** When it ends; null where it does not end by itself. */
  expires_at: Time | null;
  /** How many people may still use it; null for any number. */
  uses_left: number | null;
};

export type SentTime = {
  /** The time, as ISO 8601 with its zone. */
  $date: string;
};

export type NewInvitation = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** The room that it belongs to. */
  room: Id;
  /** The last four characters of the secret, to tell things apart in a list. */
  hint: string;
  /** The user who created it. */
  created_by: Id;
  /** When it was created. */
  created_at: Time;
  /** When it ends; null where it does not end by itself. */
  expires_at: Time | null;
  /** How many people may still use it; null for any number. */
  uses_left: number | null;
  /** The 32 characters by which whoever has them joins; shown this once. */
  code: string;
};

export type ListedRoom = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** What the room is called. */
  name: string;
  /** What the room is about; may be empty. */
  topic: string;
  /** How many members the room has. */
  member_count: number;
  /** Whether anyone who sees the room may join it. */
  is_open: boolean;
};

export type OtherUser = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** The name of the user now; of a deleted one, `(deleted)`. */
  username: string;
};

export type Member = {
  /** The id of the membership, not of the user. */
  _id: Id;
  /** The room that it belongs to. */
  room: Id;
  /** The user whom it is about. */
  user: Id;
  /** The name of the user now; of a deleted one, `(deleted)`. */
  username: string;
  /** What the member may do: an owner changes the room and its members, a moderator removes people and messages. */
  role: 'owner' | 'moderator' | 'member';
  /** When the user became a member. */
  joined_at: Time;
  /** What the room is called; in the caller's own memberships alone, as all fields below. */
  room_name?: string;
  /** The latest place in the room: whatever has a higher one is new. */
  seq?: number;
  /** Up to which place the caller has read. */
  last_read?: number;
  /** How many messages of others come after that, without the deleted ones; sending reads one's own. */
  unread?: number;
  /** How many of these mention the caller, 100 at most. */
  unread_mentions?: number;
  /** Whether the caller wants no notifications of this room. */
  is_muted?: boolean;
  /** The other members of a conversation, by which it is shown. */
  others?: OtherUser[];
};

export type SentId = {
  /** The 24 hexadecimal characters of the id. */
  $oid: string;
};

export type Ban = {
  /** Where that holds. */
  room: Id;
  /** Who may not come back. */
  user: Id;
  /** The name of the user now; of a deleted one, `(deleted)`. */
  username: string;
};

export type Reaction = {
  /** The emoji, in its fully qualified form, or the word. */
  emoji: string;
  /** Who reacted with it, in the order in which they did. */
  users: Id[];
};

export type Message = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** The room that it belongs to. */
  room: Id;
  /** The place in the room's order. Messages and changes share one count, so that numbers may be missing between two messages. */
  seq: number;
  /** The author. */
  user: Id;
  /** The name of the user now; of a deleted one, `(deleted)`. */
  username: string;
  /** What it says; empty once it is deleted. */
  text: string;
  /** When it was created. */
  created_at: Time;
  /** When its text was last changed; null if it never was. */
  edited_at: Time | null;
  /** When it was deleted: it keeps its place, and nothing of what it said; null while it is there. */
  deleted_at: Time | null;
  /** The message that it replies to; null if it replies to none. */
  thread: Id | null;
  /** How many messages reply to it, without the deleted ones. */
  reply_count: number;
  /** The members whom it named with `@` when it was sent or edited. */
  mentions: Id[];
  /** The reactions, by emoji. */
  reactions: Reaction[];
  /** Since when it is pinned in its room; null if it is not. */
  pinned_at: Time | null;
};

export type MessageCreated = {
  /** The place in the room's order. Messages and changes share one count, so that numbers may be missing between two messages. */
  seq: number;
  /** What it is: what the other fields are depends on it. */
  type: 'message.created';
  /** The room that it belongs to. */
  room: Id;
  /** When it happened, by the clock of the database. */
  at: Time;
  /** Who did it; null for the service and its command line. */
  actor: Id | null;
  /** The message as it is now, which may be edited or deleted. */
  data: Message;
};

export type MessageChanged = {
  /** The place in the room's order. Messages and changes share one count, so that numbers may be missing between two messages. */
  seq: number;
  /** What it is: what the other fields are depends on it. */
  type: 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed';
  /** The room that it belongs to. */
  room: Id;
  /** When it happened, by the clock of the database. */
  at: Time;
  /** Who did it; null for the service and its command line. */
  actor: Id | null;
  /** The message as it is now, after this and any later change. */
  data: Message | null;
};

export type FormerMember = {
  /** The id that the membership had. */
  _id: Id;
  /** The room that it belongs to. */
  room: Id;
  /** The user whom it is about. */
  user: Id;
  /** The name of the user now; of a deleted one, `(deleted)`. */
  username: string;
  /** What the member may do: an owner changes the room and its members, a moderator removes people and messages. */
  role: null;
  /** When the user became a member. */
  joined_at: null;
};

export type MemberChanged = {
  /** The place in the room's order. Messages and changes share one count, so that numbers may be missing between two messages. */
  seq: number;
  /** What it is: what the other fields are depends on it. */
  type: 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed';
  /** The room that it belongs to. */
  room: Id;
  /** When it happened, by the clock of the database. */
  at: Time;
  /** Who did it; null for the service and its command line. */
  actor: Id | null;
  /** The membership as it is now; of someone who is no member any more, what it was. */
  data: Member | FormerMember;
};

export type RoomChanged = {
  /** The place in the room's order. Messages and changes share one count, so that numbers may be missing between two messages. */
  seq: number;
  /** What it is: what the other fields are depends on it. */
  type: 'room.changed' | 'room.archived';
  /** The room that it belongs to. */
  room: Id;
  /** When it happened, by the clock of the database. */
  at: Time;
  /** Who did it; null for the service and its command line. */
  actor: Id | null;
  /** The room as it is now. */
  data: Room | null;
};

export type Event = MessageCreated | MessageChanged | MemberChanged | RoomChanged;

export type User = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** The name of the user now; of a deleted one, `(deleted)`. */
  username: string;
  /** The e-mail address, as typed; only the user and administrators see it. */
  email: string;
  /** Whether the user is an administrator, who may do everything. */
  is_admin: boolean;
  /** Whether the account can be used. */
  is_active: boolean;
  /** When it was created. */
  created_at: Time;
};

export type NewUser = {
  /** The account. */
  user: User;
  /** The 32 characters for `X-Auth-Token`. They are shown this once; absent where the browser keeps them in a cookie. */
  token?: string;
};

export type PasswordCode = {
  /** The 32 characters for `PUT /api/password`; shown this once. */
  code: string;
  /** The page of the web client that takes the code; null without `PUBLIC_URL`. */
  link: string | null;
  /** When the code ends, if it is not used before. */
  expires_at: Time;
};

export type Setup = {
  /** Whether there is, or ever was, an administrator: the first one is made only before. */
  is_done: boolean;
  /** Whether the request has a valid session or token. */
  is_signed_in: boolean;
};

export type Session = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** The user whom it is about. */
  user: Id;
  /** The program that began the session, by its `User-Agent`. */
  name: string;
  /** Whether it is a `session`, begun by a login, or an `api` token, named by its user. */
  kind: 'session' | 'api';
  /** What it may do; nothing is excluded when there are none. */
  scopes: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
  /** The last four characters of the secret, to tell things apart in a list. */
  hint: string;
  /** When it was created. */
  created_at: Time;
  /** When it was last used, to the hour; null if it was not. */
  last_used_at: Time | null;
  /** When it ends; null where it does not end by itself. */
  expires_at: Time | null;
  /** Whether it is the session that calls. */
  is_current: boolean;
};

export type NewSession = {
  /** The 32 characters for `X-Auth-Token`. They are shown this once; absent where the browser keeps them in a cookie. */
  token?: string;
  /** When it ends; null where it does not end by itself. */
  expires_at: Time;
  /** The account that it is a session of. */
  user: User;
};

export type Token = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** The user whom it is about. */
  user: Id;
  /** What the token is for, in the words of its user. */
  name: string;
  /** Whether it is a `session`, begun by a login, or an `api` token, named by its user. */
  kind: 'session' | 'api';
  /** What it may do; nothing is excluded when there are none. */
  scopes: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
  /** The last four characters of the secret, to tell things apart in a list. */
  hint: string;
  /** When it was created. */
  created_at: Time;
  /** When it was last used, to the hour; null if it was not. */
  last_used_at: Time | null;
  /** When it ends; null where it does not end by itself. */
  expires_at: Time | null;
};

export type NewToken = {
  /** The id, by which paths and other things refer to it. */
  _id: Id;
  /** The user whom it is about. */
  user: Id;
  /** What the token is for, in the words of its user. */
  name: string;
  /** Whether it is a `session`, begun by a login, or an `api` token, named by its user. */
  kind: 'session' | 'api';
  /** What it may do; nothing is excluded when there are none. */
  scopes: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
  /** The last four characters of the secret, to tell things apart in a list. */
  hint: string;
  /** When it was created. */
  created_at: Time;
  /** When it was last used, to the hour; null if it was not. */
  last_used_at: Time | null;
  /** When it ends; null where it does not end by itself. */
  expires_at: Time | null;
  /** The 32 characters for `X-Auth-Token`. They are shown this once; absent where the browser keeps them in a cookie. */
  token: string;
};

export type Ticket = {
  /** Where to connect: an address of its own, or a path of the service's. */
  url: string;
  /** The 32 characters that open it, once; they go into the subprotocol. */
  ticket: string;
  /** Until when the ticket can be used. */
  expires_at: Time;
};

export type Limits = {
  /** How many things a page has where a request has no `limit`. */
  page_size: number;
  /** How many members a room may have. */
  room_members: number;
  /** For how many days the events of a room are kept: whoever was away for longer reads the history anew. */
  event_days: number;
  /** How many bytes the body of a request may have. */
  body_bytes: number;
};

export type Health = {
  /** That the service works. */
  status: 'ok';
  /** The version of the service. */
  version: string;
  /** That the database answers. */
  database: 'ok' | 'damaged';
  /** Who may sign up: everyone, whoever is invited, or nobody. */
  registration: 'open' | 'invited' | 'closed';
  /** Who may create rooms. */
  room_creation: 'admins' | 'users';
  /** Whether `POST /api/codes` sends e-mails. */
  sends_email: boolean;
  /** Whether a sign-up needs a code that was sent to its address. */
  email_confirmation: 'off' | 'required';
  /** The bounds that settings decide and clients must know. */
  limits: Limits;
};

export type HelloFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'hello';
  /** Whether frames of rooms carry their events; true if it is left out. */
  events?: boolean;
};

export type PingFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'ping';
  /** A number that the pong to this ping has as well. */
  id: number;
  /** The last `now` that the client was told: the pong has what moved since then. */
  since?: Time;
};

export type TypingFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'typing';
  /** The room that it belongs to. */
  room: Id;
};

export type WelcomeFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'hello';
  /** The id of the connection in the service's log. */
  connection: string;
  /** After how many seconds of silence the client sends a ping. */
  ping: number;
  /** After how many seconds the connection ends in any case. */
  lifetime?: number;
  /** The time of the database, for the next `since`. */
  now: Time;
  /** The epoch in which every `seq` of the frame counts. */
  epoch: string;
};

export type RoomFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'room';
  /** The room that it belongs to. */
  room: Id;
  /** The epoch in which every `seq` of the frame counts. */
  epoch: string;
  /** The feed of the room is at least here. */
  seq: number;
  /** The place after which `events` begin. */
  after?: number;
  /** All that happened after `after` up to `seq`. */
  events?: Event[];
};

export type LeftFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'left';
  /** The room that it belongs to. */
  room: Id;
};

export type TypingNotice = {
  /** What it is: what the other fields are depends on it. */
  type: 'typing';
  /** The room that it belongs to. */
  room: Id;
  /** The user whom it is about. */
  user: Id;
  /** The name of the user now; of a deleted one, `(deleted)`. */
  username: string;
};

export type ReadFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'read';
  /** The room that it belongs to. */
  room: Id;
  /** Up to which place the user has read, on another device. */
  last_read: number;
};

export type RoomPosition = {
  /** The room that it belongs to. */
  room: Id;
  /** The place in the room's order. Messages and changes share one count, so that numbers may be missing between two messages. */
  seq: number;
};

export type PongFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'pong';
  /** The number of the ping. */
  id: number;
  /** The time of the database, for the next `since`. */
  now: Time;
  /** The epoch in which every `seq` of the frame counts. */
  epoch: string;
  /** The user's rooms that moved after `since`. */
  rooms: RoomPosition[];
  /** Whether there are more such rooms than are listed. */
  more: boolean;
};

export type ErrorFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'error';
  /** What the same mistake would be answered with over HTTP. */
  status: number;
  /** What went wrong, in a sentence for people. */
  message: string;
};

export type ByeFrame = {
  /** What it is: what the other fields are depends on it. */
  type: 'bye';
  /** The code with which the connection is closed. */
  code: number;
  /** Why the connection ends, in a sentence for people. */
  reason: string;
  /** Whether it makes sense to connect again. */
  reconnect: boolean;
  /** Within how many seconds, at a random moment. */
  within?: number;
};

/** A parameter is missing or invalid, or the body is not JSON. */
export type BadRequest = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Missing parameter' | 'Invalid parameter' | 'Unknown parameter' | 'Invalid JSON';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'invalid_json' | 'invalid_parameter' | 'missing_parameter' | 'unknown_parameter';
};

/** There is no token, or it is not valid. */
export type Unauthenticated = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Not authentificated';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'unauthenticated';
};

/** The caller may not do this. */
export type PermissionDenied = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Permission Denied';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'admin_required' | 'author_required' | 'banned' | 'current_password_required' | 'email_code_required' | 'foreign_origin' | 'invitation_required' | 'membership_required' | 'moderator_required' | 'no_email' | 'own_marker_only' | 'own_muting_only' | 'owner_required' | 'registration_closed' | 'room_closed' | 'scope_required' | 'setup_done' | 'unscoped_token_required' | 'wrong_current_password';
};

/** It does not exist, or the caller may not see it. */
export type NotFound = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Not found';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'ban_not_found' | 'block_not_found' | 'code_not_found' | 'invitation_not_found' | 'member_not_found' | 'message_not_found' | 'path_not_found' | 'room_not_found' | 'session_not_found' | 'token_not_found' | 'user_not_found';
};

/** The caller does not accept JSON. */
export type NotAcceptable = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Media type not acceptable';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** A page that helps. */
  link: {
    /** Where the page is. */
    href: string;
    /** What the page is to the error. */
    rel: 'help';
    /** What the page is about. */
    text: string;
  };
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'not_acceptable';
};

/** The current state does not allow it. */
export type Conflict = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Conflict';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'already_member' | 'email_taken' | 'last_admin' | 'last_owner' | 'message_deleted' | 'nobody_left' | 'room_archived' | 'room_direct' | 'room_full' | 'token_name_taken' | 'too_many_blocked' | 'too_many_conversations' | 'too_many_invitations' | 'too_many_reactions' | 'too_many_rooms' | 'too_many_tokens' | 'user_blocked' | 'username_reserved' | 'username_taken';
};

/** It existed, but is no longer kept. */
export type Gone = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Gone';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'cursor_too_old' | 'history_replaced';
};

/** It looks different than `If-Match` says; nothing was changed. */
export type PreconditionFailed = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Precondition failed';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'precondition_failed';
};

/** The body is too large. */
export type PayloadTooLarge = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Payload too large';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'answer_too_large' | 'body_too_large';
};

/** The body is not JSON. */
export type UnsupportedMediaType = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Unsupported media type';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'unsupported_media_type';
};

/** The `Idempotency-Key` was used with a different request. */
export type KeyReused = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Idempotency key reused';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'key_reused';
};

/** There were too many requests in too short a time. */
export type TooManyRequests = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Too many requests';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'too_many_requests';
};

/** The service failed; its log has the details. */
export type InternalError = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Internal error';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'internal_error';
};

/** The database is down or slow. */
export type ServiceUnavailable = {
  /** What kind of error it is: the same words for every error of its kind. */
  title: 'Service unavailable';
  /** What went wrong, in a sentence for people. */
  description: string;
  /** What went wrong, for programs: it stays the same if the sentence changes. Absent at `/api/rooms`. */
  code?: 'service_unavailable';
};

/** Every error that has a body; its `title` names its kind. */
export type ErrorBody = BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | Gone | PreconditionFailed | PayloadTooLarge | UnsupportedMediaType | KeyReused | TooManyRequests | InternalError | ServiceUnavailable;

/** What a client sends over a WebSocket, and what the service does. */
export type ClientFrame = HelloFrame | PingFrame | TypingFrame;
export type ServerFrame = WelcomeFrame | RoomFrame | LeftFrame | TypingNotice | ReadFrame | PongFrame | ErrorFrame | ByeFrame;

/** The operations by path and method. */
export type paths = {
  '/api/rooms': {
    /** List the rooms, all of them unless a page is asked for */
    get: {
      parameters: {
        path?: never;
        query?: { 'limit'?: number; 'after'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Room[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Create a room, as an administrator, or as anyone where `ROOM_CREATION` is `users` */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: { 'Idempotency-Key'?: string };
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** What the room is called. Names need not be unique. Must have 1 to 100 characters and not be blank. */
        name: string;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': Room } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        422: { headers: Record<string, unknown>; content: { 'application/json': KeyReused } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/rooms/{room}': {
    /** Get a room that is visible, or of which the caller is a member */
    get: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: { 'If-None-Match'?: string };
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Room } };
        304: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Set a room's name and both flags, as an owner */
    put: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** What the room is called. Names need not be unique. Must have 1 to 100 characters and not be blank. */
        name: string;
        /** Whether anyone who sees the room may join it. Must be true or false. */
        is_open: boolean;
        /** Whether the directory and others than members see the room. Must be true or false. */
        is_visible: boolean;
      } } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Room } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Change a room's name or flags, as an owner */
    patch: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** What the room is called. Names need not be unique. Must have 1 to 100 characters and not be blank. */
        name?: string;
        /** Whether anyone who sees the room may join it. Must be true or false. */
        is_open?: boolean;
        /** Whether the directory and others than members see the room. Must be true or false. */
        is_visible?: boolean;
      } } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Room } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Delete a room with everything in it; 503 when there is so much that the request must be repeated */
    delete: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/rooms/{room}/details': {
    /** Get the details of a room, as a member */
    get: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: { 'If-None-Match'?: string };
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': RoomDetails } };
        304: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Change the details of a room, or archive it or take it back into use, as an owner */
    patch: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** What the room is about; an empty text removes it. Must be a text of at most 250 characters. */
        topic?: string;
        /** Whether the room is archived: it can be read, and nothing in it changes. Must be true or false. */
        archived?: boolean;
      } } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': RoomDetails } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/rooms/{room}/invitations': {
    /** List the invitations to a room that can still be used, as a moderator */
    get: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Invitation[] } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Invite to a room, as a moderator: whoever has the `code`, which is shown this once, may join until it expires or was used so often */
    post: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** When the invitation ends; without it, never. Must be a time such as '2026-11-21T04:04:42.123Z'. */
        expires_at?: SentTime | string;
        /** How many people may use the invitation; without it, any number. Must be from 1 to 10000. */
        uses?: number;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': NewInvitation } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/rooms/{room}/invitations/{invitation}': {
    /** Revoke an invitation at once, as a moderator */
    delete: {
      parameters: {
        path: { 'room': string; 'invitation': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/directory': {
    /** List the visible rooms by name: all, or those of whose names or topics `q` is a part */
    get: {
      parameters: {
        path?: never;
        query?: { 'q'?: string; 'limit'?: number; 'after'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': ListedRoom[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/members': {
    /** List the members of a room, as one of them, all or those of whose names `q` is a part, or the caller's own memberships, those in the most recently active rooms first, and only in rooms that moved `since` a time if one is given */
    get: {
      parameters: {
        path?: never;
        query?: { 'room'?: string; 'q'?: string; 'user'?: 'me'; 'since'?: string; 'limit'?: number; 'after'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Member[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        410: { headers: Record<string, unknown>; content: { 'application/json': Gone } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Join an open `room`, or any with the code of an `invitation`, or add another user, by id or name, as a moderator, or as an owner with a role */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** The room to join, or to add someone to; with `invitation` it may be left out. Must be an id of 24 hexadecimal characters. */
        room?: SentId | string;
        /** Who is added, by id; without it and `username`, the caller joins. Must be an id of 24 hexadecimal characters. */
        user?: SentId | string;
        /** Who is added, by name. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit. */
        username?: string;
        /** The code of an invitation, with which the caller also joins rooms that are closed or hidden. Must be the 32 characters of an invitation. */
        invitation?: string;
        /** What the member may do: an owner changes the room and its members, a moderator removes people and messages. Must be 'owner' or 'moderator' or 'member'. */
        role?: 'owner' | 'moderator' | 'member';
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': Member } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/members/{member}': {
    /** Get a member, as another member of the same room */
    get: {
      parameters: {
        path: { 'member': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Member } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Move one's own read marker, mute the room for oneself, or change a member's role, as an owner */
    patch: {
      parameters: {
        path: { 'member': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** The `seq` up to which the member has read; the marker moves forward only. Must be from 0 to 9007199254740991. */
        last_read?: number;
        /** The `seq` of a message that counts as unread again, with those after it. Must be from 1 to 9007199254740991. */
        unread_from?: number;
        /** Whether the member wants no notifications of this room. Must be true or false. */
        is_muted?: boolean;
        /** What the member may do: an owner changes the room and its members, a moderator removes people and messages. Must be 'owner' or 'moderator' or 'member'. */
        role?: 'owner' | 'moderator' | 'member';
      } } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Member } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Leave a room, or remove someone from it, as a moderator, and keep them out with a ban */
    delete: {
      parameters: {
        path: { 'member': string };
        query?: { 'ban'?: 'true' | 'false' };
        header?: never;
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/bans': {
    /** List who is banned from a room, as a moderator */
    get: {
      parameters: {
        path?: never;
        query: { 'room': string; 'limit'?: number; 'after'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Ban[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Lift a ban, as a moderator, so that the user may join again */
    delete: {
      parameters: {
        path?: never;
        query: { 'room': string; 'user': string };
        header?: never;
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/conversations': {
    /** Open the direct conversation with one or more users: the room that the same people have already, or a new one */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** The others, each by id or username. The same people have one conversation. Must be a list of 1 to 8 ids or usernames. */
        users: (SentId | string | string)[];
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': Room } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/blocks': {
    /** List whom the caller has blocked */
    get: {
      parameters: {
        path?: never;
        query?: { 'limit'?: number; 'after'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': OtherUser[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Block a user, by id or name: their direct conversations are not shown to the caller any more, they cannot add the caller to rooms, and nobody else notices */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** Who is blocked, by id; this or `username` is required. Must be an id of 24 hexadecimal characters. */
        user?: SentId | string;
        /** Who is blocked, by name. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit. */
        username?: string;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': OtherUser } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Unblock a user: what was written meanwhile is there */
    delete: {
      parameters: {
        path?: never;
        query: { 'user': string };
        header?: never;
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/messages': {
    /** Read or search the messages of a room, the newest unless asked otherwise; search all of the caller's rooms with `q` alone */
    get: {
      parameters: {
        path?: never;
        query?: { 'room'?: string; 'limit'?: number; 'before'?: number; 'after'?: number; 'around'?: number; 'at'?: string; 'thread'?: string; 'user'?: string; 'pinned'?: 'true'; 'mentions'?: 'me'; 'q'?: string; 'order'?: 'best' | 'newest'; 'since'?: string; 'until'?: string; 'cursor'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Send a message */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: { 'Idempotency-Key'?: string };
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** Where the message goes. Must be an id of 24 hexadecimal characters. */
        room: SentId | string;
        /** What the message says; `@name` mentions a member, except in code or an address, or after a backslash. Line breaks of all kinds are kept as newlines, the sequences that colour a terminal are not. Must have 1 to 10000 characters and not be blank. */
        text: string;
        /** The message that this one replies to; of a reply to a reply, the first of the thread, in which both stand. Must be an id of 24 hexadecimal characters. */
        thread?: SentId | string;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': Message } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        422: { headers: Record<string, unknown>; content: { 'application/json': KeyReused } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/messages/{message}': {
    /** Read a message */
    get: {
      parameters: {
        path: { 'message': string };
        query?: never;
        header?: { 'If-None-Match'?: string };
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message } };
        304: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Change the text of one's own message */
    patch: {
      parameters: {
        path: { 'message': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** What the message says; `@name` mentions a member, except in code or an address, or after a backslash. Line breaks of all kinds are kept as newlines, the sequences that colour a terminal are not. Must have 1 to 10000 characters and not be blank. */
        text: string;
      } } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Delete a message, which keeps its place and loses its text */
    delete: {
      parameters: {
        path: { 'message': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/messages/{message}/reactions/{emoji}': {
    /** React to a message */
    put: {
      parameters: {
        path: { 'message': string; 'emoji': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      requestBody: { content: { 'application/json': Record<string, never> } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Remove a reaction */
    delete: {
      parameters: {
        path: { 'message': string; 'emoji': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/messages/{message}/pin': {
    /** Pin a message */
    put: {
      parameters: {
        path: { 'message': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      requestBody: { content: { 'application/json': Record<string, never> } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Unpin a message */
    delete: {
      parameters: {
        path: { 'message': string };
        query?: never;
        header?: { 'If-Match'?: string };
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        412: { headers: Record<string, unknown>; content: { 'application/json': PreconditionFailed } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/events': {
    /** Read what happened in a room after a cursor, without a gap; without a cursor, get the current one */
    get: {
      parameters: {
        path?: never;
        query: { 'room': string; 'after'?: string; 'limit'?: number };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Event[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        410: { headers: Record<string, unknown>; content: { 'application/json': Gone } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/users': {
    /** Find a user by `username`, or those who share a room with the caller by a part `q` of their names; administrators find all accounts */
    get: {
      parameters: {
        path?: never;
        query?: { 'username'?: string; 'q'?: string; 'room'?: string; 'limit'?: number; 'after'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': (User | OtherUser)[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Sign up: create an account and begin its first session, whose token the browser keeps with `cookie` */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** The name by which others see and mention the account; it does not change. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit, not end in a dot, and not be 24 hexadecimal digits. */
        username: string;
        /** An e-mail address; no two accounts have the same. Must be an e-mail address. */
        email: string;
        /** The password of the account, from now on. Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
        password: string;
        /** Whether the account is an administrator; only administrators create those. Must be true or false. */
        is_admin?: boolean;
        /** The code of an invitation to a room, which the account joins. Must be the 32 characters of an invitation. */
        invitation?: string;
        /** The code that was sent to the address, where `EMAIL_CONFIRMATION` requires one. Must be the 32 characters of a code. */
        code?: string;
        /** Whether the browser keeps the token of the session in a cookie, out of reach of scripts; the answer then has none. Must be true or false. */
        cookie?: boolean;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': NewUser } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/users/{user}': {
    /** Show a user: in full to the user and to administrators */
    get: {
      parameters: {
        path: { 'user': 'me' | string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': User | OtherUser } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Change an account; a new password ends every other session and, without `keep_tokens`, every other token */
    patch: {
      parameters: {
        path: { 'user': 'me' | string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** An e-mail address; no two accounts have the same. Must be an e-mail address. */
        email?: string;
        /** The code that was sent to the address, where `EMAIL_CONFIRMATION` requires one. Must be the 32 characters of a code. */
        code?: string;
        /** The password of the account, from now on. Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
        password?: string;
        /** The present password of the account, as proof that its owner asks. Must be a text that is not empty. */
        current_password?: string;
        /** Whether the named tokens outlast the new password. Must be true or false. */
        keep_tokens?: boolean;
        /** Whether the account is an administrator; for administrators. Must be true or false. */
        is_admin?: boolean;
        /** Whether the account can be used: `false` ends its sessions, and its tokens do not work until it is true; for administrators. Must be true or false. */
        is_active?: boolean;
      } } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': User } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Delete an account; its messages stay, under a deleted user */
    delete: {
      parameters: {
        path: { 'user': 'me' | string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody?: { content: { 'application/json': {
        /** The present password of the account, as proof that its owner asks. Must be a text that is not empty. */
        current_password?: string;
      } } };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/users/{user}/codes': {
    /** Make a one-time code, and a link, by which whoever has it sets a new password for an account within an hour */
    post: {
      parameters: {
        path: { 'user': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': Record<string, never> } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': PasswordCode } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/codes': {
    /** Send a one-time code to an e-mail address, for a new password or to show that the address is one's own; the answer does not tell whether there is an account */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** Where the code is sent. Must be an e-mail address. */
        email: string;
        /** What the code is for: `password` for a new password, `address` to sign up with the address or to change to it. Must be 'password' or 'address'. */
        purpose: 'password' | 'address';
      } } };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/password': {
    /** Set a new password by a one-time code; ends all of the account's sessions and named tokens */
    put: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** The code that came by e-mail, or from an administrator. Must be the 32 characters of a code. */
        code: string;
        /** The new password. Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
        password: string;
      } } };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/setup': {
    /** Tell whether the service has an administrator yet, and whether the caller is signed in */
    get: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Setup } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Make the first administrator by the one-time code that the server prints at its start, and begin its first session, whose token the browser keeps with `cookie`; refused as soon as there is an administrator */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** The code that the server printed at its start, or `npm run admin -- setup`. Must be the 32 characters of a code. */
        code: string;
        /** The name by which others see and mention the administrator; it does not change. Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit, not end in a dot, and not be 24 hexadecimal digits. */
        username: string;
        /** An e-mail address; no two accounts have the same. Must be an e-mail address. */
        email: string;
        /** The password of the account, from now on. Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
        password: string;
        /** Whether the browser keeps the token of the session in a cookie, out of reach of scripts; the answer then has none. Must be true or false. */
        cookie?: boolean;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': NewUser } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/sessions': {
    /** List the caller's sessions */
    get: {
      parameters: {
        path?: never;
        query?: { 'limit'?: number; 'after'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Session[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Log in with a username or an e-mail address, and a password; with `cookie` the browser keeps the token, out of reach of scripts */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** The username or the e-mail address of the account. Must be a text that is not empty. */
        username: string;
        /** The password of the account. Must be a text that is not empty. */
        password: string;
        /** Whether the browser keeps the token of the session in a cookie, out of reach of scripts; the answer then has none. Must be true or false. */
        cookie?: boolean;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': NewSession } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** End all of the caller's sessions but the one that calls */
    delete: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/sessions/{session}': {
    /** Log out: end a session at once */
    delete: {
      parameters: {
        path: { 'session': 'current' | string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/tokens': {
    /** List the caller's named tokens */
    get: {
      parameters: {
        path?: never;
        query?: { 'limit'?: number; 'after'?: string };
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Token[] } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Create a named token; its 32 characters are shown this once. One without scopes needs `current_password` */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** What the token is for; unique among those of its account. Must have 1 to 100 characters and not be blank. */
        name: string;
        /** What the token may do; without any, all that its user may, which takes `current_password`. Must be a list of some of rooms:read, rooms:write, members:read, members:write, messages:read, messages:write, account, admin. */
        scopes?: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
        /** When the token ends; without it, when it is revoked. Must be a time such as '2026-11-21T04:04:42.123Z'. */
        expires_at?: SentTime | string;
        /** Whose token it is, if not the caller's; for administrators. Must be an id of 24 hexadecimal characters. */
        user?: SentId | string;
        /** The present password of the account, as proof that its owner asks. Must be a text that is not empty. */
        current_password?: string;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': NewToken } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        409: { headers: Record<string, unknown>; content: { 'application/json': Conflict } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/tokens/{token}': {
    /** Show a named token, without its 32 characters */
    get: {
      parameters: {
        path: { 'token': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Token } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
    /** Revoke a named token at once */
    delete: {
      parameters: {
        path: { 'token': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/tickets': {
    /** Get a ticket, with which one WebSocket can be opened within 30 seconds, and its address */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': Record<string, never> } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': Ticket } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
        415: { headers: Record<string, unknown>; content: { 'application/json': UnsupportedMediaType } };
        429: { headers: Record<string, unknown>; content: { 'application/json': TooManyRequests } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/health': {
    /** Check that the service runs and reaches its database */
    get: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Health } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/openapi.json': {
    /** Describe every operation in OpenAPI 3.1 */
    get: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Record<string, unknown> } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
  '/api/asyncapi.json': {
    /** Describe every frame of a WebSocket in AsyncAPI 3 */
    get: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Record<string, unknown> } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        500: { headers: Record<string, unknown>; content: { 'application/json': InternalError } };
        503: { headers: Record<string, unknown>; content: { 'application/json': ServiceUnavailable } };
      };
    };
  };
};

/** The operations that a key makes safe to repeat. */
export const idempotent = ['POST /api/rooms', 'POST /api/messages'] as const;
