import { isObject, parseJson } from 'chat-service-rules/objects';
import type { ObjectId } from 'mongodb';
import { dateSchema, idSchema } from '../api/extended-json.ts';
import { dateTime, flag, id, integer, optional, type Parameter, readParameters, type Values } from '../api/parameters.ts';
import { aCount, aFlag, aText, aType, aWord, described, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { conflict, invalidParameter } from '../base/errors.ts';
import { roomNews } from '../collections/rooms/read-markers.ts';
import { eventSchema } from '../feed/events.ts';
import { aUsername, statedFields } from '../identity/persons.ts';
import { aUserId } from '../identity/users.ts';
import { aRoomId } from '../rooms/rooms.ts';
import { aSeq } from '../rooms/sequence.ts';

/** The WebSocket subprotocol of these frames. */
export const protocol = 'chat.v1';

/** The prefix of the client's second subprotocol, which contains a ticket. */
export const ticketPrefix = 'ticket.';

/** The limits of a connection, in seconds, bytes and numbers. */
export const socketLimits = {
  /** The largest frame from a client, in bytes. A larger one closes the connection with 1009. */
  frame: 4_096,
  /**
   * The most frames of a client per minute and in a burst. Pings and pongs of the protocol count.
   */
  framesPerMinute: 120,
  /** The most connections that a user may open per minute and in a burst. */
  handshakesPerMinute: 30,
  /** The longest wait for a `hello`. */
  hello: 10,
  /** The most connections of one user, to one process or one gateway. */
  perUser: 10,
  /**
   * The largest frame with events in bytes, and the most events in one. More become a frame without
   * events.
   */
  events: 24_576,
  eventsPerFrame: 50,
  /**
   * The most connected members of a room who get typing indicators. They are useless in larger
   * rooms.
   */
  typing: 50,
  /** How long a client shows the activity of a bot that is not renewed. */
  activity: 30,
  /** The shortest time between two typing frames of a connection to a room. */
  typingEvery: 3,
  /** The most people that a connection may watch: their ids fit into one frame. */
  watched: 100,
} as const;

/** The most rooms in a pong. */
export const mostInPong = 100;

/**
 * Frames with positions also state their epoch: in another epoch, the same number means another
 * place.
 */
const epoch = described('The epoch in which every `seq` of the frame counts.', aText);

const positionSchema = record('RoomPosition', { room: aRoomId, seq: aSeq });

const now = described('The time of the database, for the next `since`.', dateSchema);

/** The frames of clients, by name; unknown fields are ignored. */
export const clientFrames = {
  hello: record(
    'HelloFrame',
    { type: aType('hello'), events: described('Whether frames of rooms carry their events; true by default.', aFlag) },
    ['events'],
  ),
  ping: record(
    'PingFrame',
    {
      type: aType('ping'),
      id: described('A number for the pong to repeat.', aCount),
      since: described('The last `now` that the client received. The pong lists rooms with news since then.', dateSchema),
    },
    ['since'],
  ),
  typing: record('TypingFrame', { type: aType('typing'), room: aRoomId }),
  watch: record('WatchFrame', {
    type: aType('watch'),
    users: described(
      `The people whom the client shows, in place of those that it named before: at most ${socketLimits.watched}.`,
      listOf(idSchema),
    ),
  }),
  active: record('ActiveFrame', { type: aType('active') }),
};

const people = (group: string) => described(`The ids of ${group}.`, listOf(idSchema));

/** The frames of the service, by name; clients ignore unknown types and fields. */
export const serverFrames = {
  hello: record(
    'WelcomeFrame',
    {
      type: aType('hello'),
      connection: described('The id of the connection in the log of the service.', aText),
      ping: described('The seconds of silence after which the client sends a ping.', aCount),
      lifetime: described('The seconds after which the connection ends in any case.', aCount),
      now,
      epoch,
      presence: described('Whether the service reports presence; if absent, it refuses `watch` and `active`.', aFlag),
    },
    ['lifetime', 'presence'],
  ),
  room: record(
    'RoomFrame',
    {
      type: aType('room'),
      room: aRoomId,
      epoch,
      seq: described('The place that the feed of the room has reached, at least.', aCount),
      after: described('The place after which `events` begin.', aCount),
      events: described('All events after `after`, up to `seq`.', listOf(eventSchema)),
    },
    ['after', 'events'],
  ),
  left: record('LeftFrame', { type: aType('left'), room: aRoomId }),
  typing: record('TypingNotice', { type: aType('typing'), room: aRoomId, user: aUserId, username: aUsername }),
  activity: record(
    'ActivityFrame',
    {
      type: aType('activity'),
      room: aRoomId,
      thread: described('The first message of the thread.', idSchema),
      user: aUserId,
      username: aUsername,
      via: described('The name of the agent, if it acts for the user.', aText),
      text: described(
        `The status line of the bot or agent, for ${socketLimits.activity} seconds; empty if it has finished.`,
        aText,
      ),
    },
    ['via'],
  ),
  chunk: record('ChunkFrame', {
    type: aType('chunk'),
    room: aRoomId,
    message: described('The message that streams.', idSchema),
    at: described('The number of characters before `text`. They are known from an earlier frame or from the message.', aCount),
    text: described('All characters after them, so far.', aText),
  }),
  read: record(
    'ReadFrame',
    {
      type: aType('read'),
      room: aRoomId,
      last_read: described('The last place that the user has read, on any device.', aCount),
      is_muted: described('Whether the user has just muted the room, or ended that.', aFlag),
      notify_of: described(
        'The new choice of messages that notify the user; null if each device decides.',
        orNull(aWord(...roomNews)),
      ),
      is_favourite: described('Whether the user has just made the room a favourite, or ended that.', aFlag),
      favourite_order: described(
        'Where the user has just put the room among the favourites. Of two devices that do so at the same time, the list of memberships says which came last.',
        aCount,
      ),
    },
    ['is_muted', 'notify_of', 'is_favourite', 'favourite_order'],
  ),
  thread: record('ThreadFrame', {
    type: aType('thread'),
    room: aRoomId,
    thread: described('The first message of the thread.', idSchema),
    last_read: described('The last place of the replies that the user has read, on any device.', aCount),
    is_followed: described('Whether the user follows the thread.', aFlag),
  }),
  saved: record('SavedFrame', {
    type: described(
      'The user has saved a message, or has set, changed or ended its reminder: read the saved messages again.',
      aType('saved'),
    ),
    message: described('The message.', idSchema),
    is_saved: described('Whether it is among those that the user has saved.', aFlag),
  }),
  notifications: record('NotificationsFrame', {
    type: described(
      'A reaction, a membership, or reading has changed the list of notifications: read it again.',
      aType('notifications'),
    ),
  }),
  presence: record('PresenceFrame', {
    type: aType('presence'),
    active: people('connected users who did something in the last five minutes'),
    away: people('other connected users'),
    offline: people('users who are not connected, or whose presence the user may not see'),
  }),
  person: record('PersonFrame', { type: aType('person'), user: aUserId, ...statedFields }, [
    'name',
    'avatar',
    'is_bot',
    'status',
  ]),
  pong: record('PongFrame', {
    type: aType('pong'),
    id: described('The number of the ping.', aCount),
    now,
    epoch,
    rooms: described('The rooms of the user with news since `since`.', listOf(positionSchema)),
    more: described('Whether more rooms have news than are listed.', aFlag),
  }),
  error: record('ErrorFrame', {
    type: aType('error'),
    status: described('The HTTP status of the same error.', aCount),
    message: described('The error, in a sentence for people.', aText),
  }),
  bye: record(
    'ByeFrame',
    {
      type: aType('bye'),
      code: described('The close code of the connection.', aCount),
      reason: described('The reason, in a sentence for people.', aText),
      reconnect: described('Whether to connect again.', aFlag),
      within: described('The seconds within which to connect again, at a random moment.', aCount),
    },
    ['within'],
  ),
};

export type ServerFrame = Shown<(typeof serverFrames)[keyof typeof serverFrames]>;

/** The reasons for closing a connection: the code, and whether the client should reconnect. */
export const farewells = {
  restart: { code: 1012, reconnect: true, within: 10 },
  // Other servers continue, and this one closes its connections one by one.
  handover: { code: 1012, reconnect: true, within: 1 },
  slow: { code: 4008, reconnect: true },
  flood: { code: 4029, reconnect: true },
  ended: { code: 4401, reconnect: false },
  silent: { code: 4408, reconnect: true },
  // A server's WebSocket library sends this by itself.
  large: { code: 1009, reconnect: true },
  // Only Lambda functions can lose a connection's state.
  unknown: { code: 4000, reconnect: true },
} as const;
export type Farewell = keyof typeof farewells;

const users: Parameter<ObjectId[]> = {
  read: (sent) => {
    if (!Array.isArray(sent) || sent.length > socketLimits.watched) return undefined;
    const read = sent.map(id.read);
    return read.every((one) => one !== undefined) ? read : undefined;
  },
  rule: `be a list of at most ${socketLimits.watched} ids`,
  schema: listOf(id.schema),
};

const parameters = {
  hello: { events: optional(flag) },
  ping: { id: integer(0, Number.MAX_SAFE_INTEGER), since: optional(dateTime) },
  typing: { room: id },
  watch: { users },
  active: {},
};

/** The error for a request that needs presence if the service does not show it. */
export const noPresence = () => conflict('no_presence', 'The service does not report presence.');

/** A parsed frame from a client. */
export type ClientFrame = {
  [Type in keyof typeof parameters]: { type: Type } & Values<(typeof parameters)[Type]>;
}[keyof typeof parameters];

/** Parses a frame from a client; throws 400 if it is invalid. */
export function readFrame(text: string): ClientFrame {
  const sent = parseJson(text);
  const type = isObject(sent) ? sent.type : undefined;
  if (!isObject(sent) || typeof type !== 'string' || !Object.hasOwn(parameters, type))
    throw invalidParameter('type', `be ${Object.keys(parameters).join(', ')}`);
  const known = type as keyof typeof parameters;
  return { type: known, ...readParameters(parameters[known], sent) } as ClientFrame;
}
