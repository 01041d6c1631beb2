// Generated from docs/openapi.json by 'npm run openapi'.

export type Id = {
  $oid: string;
};

export type Room = {
  _id: Id;
  name: string;
  members: Id[];
  is_open: boolean;
  is_visible: boolean;
};

export type Time = {
  $date: string;
};

export type RoomDetails = {
  room: Id;
  topic: string;
  created_at: Time;
  created_by: Id;
  member_count: number;
  message_count: number;
  last_message_at: Time | null;
  archived_at: Time | null;
  is_direct: boolean;
};

export type Invitation = {
  _id: Id;
  room: Id;
  hint: string;
  created_by: Id;
  created_at: Time;
  expires_at: Time | null;
  uses_left: number | null;
};

export type NewInvitation = {
  _id: Id;
  room: Id;
  hint: string;
  created_by: Id;
  created_at: Time;
  expires_at: Time | null;
  uses_left: number | null;
  code: string;
};

export type ListedRoom = {
  _id: Id;
  name: string;
  topic: string;
  member_count: number;
  is_open: boolean;
};

export type OtherUser = {
  _id: Id;
  username: string;
};

export type Member = {
  _id: Id;
  room: Id;
  user: Id;
  username: string;
  role: 'owner' | 'moderator' | 'member';
  joined_at: Time;
  room_name?: string;
  seq?: number;
  last_read?: number;
  unread?: number;
  unread_mentions?: number;
  is_muted?: boolean;
  others?: OtherUser[];
};

export type Ban = {
  room: Id;
  user: Id;
  username: string;
};

export type Reaction = {
  emoji: string;
  users: Id[];
};

export type Message = {
  _id: Id;
  room: Id;
  seq: number;
  user: Id;
  username: string;
  text: string;
  created_at: Time;
  edited_at: Time | null;
  deleted_at: Time | null;
  thread: Id | null;
  reply_count: number;
  mentions: Id[];
  reactions: Reaction[];
  pinned_at: Time | null;
};

export type MessageCreated = {
  seq: number;
  type: 'message.created';
  room: Id;
  at: Time;
  actor: Id | null;
  data: Message;
};

export type MessageChanged = {
  seq: number;
  type: 'message.edited' | 'message.deleted' | 'message.pinned' | 'message.unpinned' | 'reaction.added' | 'reaction.removed';
  room: Id;
  at: Time;
  actor: Id | null;
  data: Message | null;
};

export type FormerMember = {
  _id: Id;
  room: Id;
  user: Id;
  username: string;
  role: null;
  joined_at: null;
};

export type MemberChanged = {
  seq: number;
  type: 'member.joined' | 'member.left' | 'member.kicked' | 'member.banned' | 'member.changed';
  room: Id;
  at: Time;
  actor: Id | null;
  data: Member | FormerMember;
};

export type RoomChanged = {
  seq: number;
  type: 'room.changed' | 'room.archived';
  room: Id;
  at: Time;
  actor: Id | null;
  data: Room | null;
};

export type Event = MessageCreated | MessageChanged | MemberChanged | RoomChanged;

export type User = {
  _id: Id;
  username: string;
  email: string;
  is_admin: boolean;
  is_active: boolean;
  created_at: Time;
};

export type NewUser = {
  user: User;
  token?: string;
};

export type PasswordCode = {
  code: string;
  link: string | null;
  expires_at: Time;
};

export type Session = {
  _id: Id;
  user: Id;
  name: string;
  kind: 'session' | 'api';
  scopes: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
  hint: string;
  created_at: Time;
  last_used_at: Time | null;
  expires_at: Time | null;
  is_current: boolean;
};

export type NewSession = {
  token?: string;
  expires_at: Time;
  user: User;
};

export type Token = {
  _id: Id;
  user: Id;
  name: string;
  kind: 'session' | 'api';
  scopes: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
  hint: string;
  created_at: Time;
  last_used_at: Time | null;
  expires_at: Time | null;
};

export type NewToken = {
  _id: Id;
  user: Id;
  name: string;
  kind: 'session' | 'api';
  scopes: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
  hint: string;
  created_at: Time;
  last_used_at: Time | null;
  expires_at: Time | null;
  token: string;
};

export type Limits = {
  page_size: number;
  room_members: number;
  event_days: number;
  body_bytes: number;
};

export type Health = {
  status: 'ok';
  version: string;
  database: 'ok';
  registration: 'open' | 'invited' | 'closed';
  room_creation: 'admins' | 'users';
  sends_email: boolean;
  email_confirmation: 'off' | 'required';
  limits: Limits;
};

/** A parameter is missing or invalid, or the body is not JSON. */
export type BadRequest = {
  title: 'Missing parameter' | 'Invalid parameter' | 'Invalid JSON';
  description: string;
};

/** There is no token, or it is not valid. */
export type Unauthenticated = {
  title: 'Not authentificated';
  description: string;
};

/** The caller may not do this. */
export type PermissionDenied = {
  title: 'Permission Denied';
  description: string;
};

/** It does not exist, or the caller may not see it. */
export type NotFound = {
  title: 'Not found';
  description: string;
};

/** The caller does not accept JSON, or does not send it. */
export type NotAcceptable = {
  title: 'Media type not acceptable';
  description: string;
  link: {
    href: string;
    rel: 'help';
    text: string;
  };
};

/** The current state does not allow it. */
export type Conflict = {
  title: 'Conflict';
  description: string;
};

/** It existed, but is no longer kept. */
export type Gone = {
  title: 'Gone';
  description: string;
};

/** The body is too large. */
export type PayloadTooLarge = {
  title: 'Payload too large';
  description: string;
};

/** The `Idempotency-Key` was used with a different request. */
export type KeyReused = {
  title: 'Idempotency key reused';
  description: string;
};

/** There were too many requests in too short a time. */
export type TooManyRequests = {
  title: 'Too many requests';
  description: string;
};

/** The service failed; its log has the details. */
export type InternalError = {
  title: 'Internal error';
  description: string;
};

/** The database is down or slow. */
export type ServiceUnavailable = {
  title: 'Service unavailable';
  description: string;
};

/** Every error that has a body; its `title` names its kind. */
export type ErrorBody = BadRequest | Unauthenticated | PermissionDenied | NotFound | NotAcceptable | Conflict | Gone | PayloadTooLarge | KeyReused | TooManyRequests | InternalError | ServiceUnavailable;

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
        /** Must have 1 to 100 characters and not be blank. */
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
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Room } };
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
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** Must have 1 to 100 characters and not be blank. */
        name: string;
        /** Must be true or false. */
        is_open: boolean;
        /** Must be true or false. */
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
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** Must have 1 to 100 characters and not be blank. */
        name?: string;
        /** Must be true or false. */
        is_open?: boolean;
        /** Must be true or false. */
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
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
  '/api/rooms/{room}/details': {
    /** Get the details of a room, as a member */
    get: {
      parameters: {
        path: { 'room': string };
        query?: never;
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': RoomDetails } };
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
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** Must be a text of at most 250 characters. */
        topic?: string;
        /** Must be true or false. */
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
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
        /** Must be a time such as '2026-11-21T04:04:42.123Z'. */
        expires_at?: Time | string;
        /** Must be from 1 to 10000. */
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
    /** List the visible rooms by name: all, or those whose names start with `q` */
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
    /** List the members of a room, as one of them, or the caller's own memberships, those in the most recently active rooms first, and only in rooms that moved `since` a time if one is given */
    get: {
      parameters: {
        path?: never;
        query?: { 'room'?: string; 'user'?: 'me'; 'since'?: string; 'limit'?: number; 'after'?: string };
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
        /** Must be an id of 24 hexadecimal characters. */
        room?: Id | string;
        /** Must be an id of 24 hexadecimal characters. */
        user?: Id | string;
        /** Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit. */
        username?: string;
        /** Must be the 32 characters of an invitation. */
        invitation?: string;
        /** Must be 'owner' or 'moderator' or 'member'. */
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
        /** Must be from 0 to 9007199254740991. */
        last_read?: number;
        /** Must be from 1 to 9007199254740991. */
        unread_from?: number;
        /** Must be true or false. */
        is_muted?: boolean;
        /** Must be 'owner' or 'moderator' or 'member'. */
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
        /** Must be a list of 1 to 8 ids or usernames. */
        users: (Id | string)[];
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
    /** Block a user, by id or name: their direct conversations are not shown to the caller any more, and nobody else notices */
    post: {
      parameters: {
        path?: never;
        query?: never;
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** Must be an id of 24 hexadecimal characters. */
        user?: Id | string;
        /** Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit. */
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
        query?: { 'room'?: string; 'limit'?: number; 'before'?: number; 'after'?: number; 'around'?: number; 'at'?: string; 'thread'?: string; 'user'?: string; 'pinned'?: 'true'; 'mentions'?: 'me'; 'q'?: string; 'cursor'?: string };
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
        /** Must be an id of 24 hexadecimal characters. */
        room: Id | string;
        /** Must have 1 to 10000 characters and not be blank. */
        text: string;
        /** Must be an id of 24 hexadecimal characters. */
        thread?: Id | string;
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
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message } };
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
        header?: never;
        cookie?: never;
      };
      requestBody: { content: { 'application/json': {
        /** Must have 1 to 10000 characters and not be blank. */
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
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
  '/api/messages/{message}/reactions/{emoji}': {
    /** React to a message */
    put: {
      parameters: {
        path: { 'message': string; 'emoji': string };
        query?: never;
        header?: never;
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
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
        header?: never;
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
        header?: never;
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
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
        header?: never;
        cookie?: never;
      };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': Message } };
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
  '/api/events': {
    /** Read what happened in a room after a cursor, without a gap; without a cursor, get the current one */
    get: {
      parameters: {
        path?: never;
        query: { 'room': string; 'after'?: number; 'limit'?: number };
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
    /** Find a user by `username`, or those who share a room with the caller by the start `q` of their names; administrators find all accounts */
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
        /** Must be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit. */
        username: string;
        /** Must be an e-mail address. */
        email: string;
        /** Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
        password: string;
        /** Must be true or false. */
        is_admin?: boolean;
        /** Must be the 32 characters of an invitation. */
        invitation?: string;
        /** Must be the 32 characters of a code. */
        code?: string;
        /** Must be true or false. */
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
        /** Must be an e-mail address. */
        email?: string;
        /** Must be the 32 characters of a code. */
        code?: string;
        /** Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
        password?: string;
        /** Must be a text that is not empty. */
        current_password?: string;
        /** Must be true or false. */
        keep_tokens?: boolean;
        /** Must be true or false. */
        is_admin?: boolean;
        /** Must be true or false. */
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
        /** Must be a text that is not empty. */
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
        /** Must be an e-mail address. */
        email: string;
        /** Must be 'password' or 'address'. */
        purpose: 'password' | 'address';
      } } };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        403: { headers: Record<string, unknown>; content: { 'application/json': PermissionDenied } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
        /** Must be the 32 characters of a code. */
        code: string;
        /** Must have at least 8 characters and at most 72 bytes, and not be one of the most common passwords. */
        password: string;
      } } };
      responses: {
        204: { headers: Record<string, unknown>; content?: never };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        404: { headers: Record<string, unknown>; content: { 'application/json': NotFound } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
        /** Must be a text that is not empty. */
        username: string;
        /** Must be a text that is not empty. */
        password: string;
        /** Must be true or false. */
        cookie?: boolean;
      } } };
      responses: {
        201: { headers: Record<string, unknown>; content: { 'application/json': NewSession } };
        400: { headers: Record<string, unknown>; content: { 'application/json': BadRequest } };
        401: { headers: Record<string, unknown>; content: { 'application/json': Unauthenticated } };
        406: { headers: Record<string, unknown>; content: { 'application/json': NotAcceptable } };
        413: { headers: Record<string, unknown>; content: { 'application/json': PayloadTooLarge } };
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
        /** Must have 1 to 100 characters and not be blank. */
        name: string;
        /** Must be a list of some of rooms:read, rooms:write, members:read, members:write, messages:read, messages:write, account, admin. */
        scopes?: ('rooms:read' | 'rooms:write' | 'members:read' | 'members:write' | 'messages:read' | 'messages:write' | 'account' | 'admin')[];
        /** Must be a time such as '2026-11-21T04:04:42.123Z'. */
        expires_at?: Time | string;
        /** Must be an id of 24 hexadecimal characters. */
        user?: Id | string;
        /** Must be a text that is not empty. */
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
};

/** The operations that a key makes safe to repeat. */
export const idempotent = ['POST /api/rooms', 'POST /api/messages'] as const;
