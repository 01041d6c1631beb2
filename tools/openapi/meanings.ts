/*
 * What the parameters and fields of the API are for. Their rules, types and bounds follow from the code; this is what does not.
 */

type Meanings = Record<string, string>;

const page = {
  limit: 'How many things a page has at most.',
  after: 'Where the page begins: behind this one. `Link` has the address of the next page, complete with it.',
};

/** The parameters by operation and name, by place and name, or by name alone: the first that is there holds. */
const parameters: Meanings = {
  ...page,
  'path room': 'The room.',
  'path member': 'The membership: the `_id` of a member, not of a user.',
  'path message': 'The message.',
  'path emoji': 'The reaction: an emoji, in either of its forms, or a word, percent-encoded.',
  'path user': "The account; in most places `me` stands for the caller's own.",
  'path session': 'The session; `current` is the one that calls.',
  'path token': 'The named token, by its `_id`.',
  'path invitation': 'The invitation, by its `_id`, not by its code.',
  name: 'What the room is called. Names need not be unique.',
  is_open: 'Whether anyone who sees the room may join it.',
  is_visible: 'Whether the directory and others than members see the room.',
  topic: 'What the room is about; an empty text removes it.',
  archived: 'Whether the room is archived: it can be read, and nothing in it changes.',
  uses: 'How many people may use the invitation; without it, any number.',
  cookie: 'Whether the browser keeps the token of the session in a cookie, out of reach of scripts; the answer then has none.',
  'POST /api/setup code': 'The code that the server printed at its start, or `npm run admin -- setup`.',
  'POST /api/setup username': 'The name by which others see and mention the administrator; it does not change.',
  'PUT /api/password code': 'The code that came by e-mail, or from an administrator.',
  code: 'The code that was sent to the address, where `EMAIL_CONFIRMATION` requires one.',
  'PUT /api/password password': 'The new password.',
  password: 'The password of the account, from now on.',
  current_password: 'The present password of the account, as proof that its owner asks.',
  email: 'An e-mail address; no two accounts have the same.',
  'POST /api/codes email': 'Where the code is sent.',
  purpose: 'What the code is for: `password` for a new password, `address` to sign up with the address or to change to it.',
  'POST /api/rooms/{room}/invitations expires_at': 'When the invitation ends; without it, never.',
  'POST /api/tokens expires_at': 'When the token ends; without it, when it is revoked.',
  'POST /api/tokens name': 'What the token is for; unique among those of its account.',
  'POST /api/tokens user': "Whose token it is, if not the caller's; for administrators.",
  scopes: 'What the token may do; without any, all that its user may, which takes `current_password`.',
  'POST /api/sessions username': 'The username or the e-mail address of the account.',
  'POST /api/sessions password': 'The password of the account.',
  'POST /api/users username': 'The name by which others see and mention the account; it does not change.',
  'POST /api/users is_admin': 'Whether the account is an administrator; only administrators create those.',
  'POST /api/users invitation': 'The code of an invitation to a room, which the account joins.',
  'PATCH /api/users/{user} is_admin': 'Whether the account is an administrator; for administrators.',
  'PATCH /api/users/{user} is_active':
    'Whether the account can be used: `false` ends its sessions, and its tokens do not work until it is true; for administrators.',
  keep_tokens: 'Whether the named tokens outlast the new password.',
  'GET /api/users username': 'The exact name to look for.',
  'GET /api/users q':
    'A part of the names that are looked for: the beginning of one or more of their words. Case and accents do not matter.',
  'GET /api/users room': 'Looks among the members of this room alone.',
  'GET /api/directory q':
    'A part of the names or topics of the rooms: the beginning of one or more of their words. Case and accents do not matter.',
  'GET /api/members room': 'Whose members are listed; this or `user` is required.',
  'GET /api/members q':
    'Only members with this part in their names: the beginning of one or more of their words. Names that begin with it come first.',
  'GET /api/members user': "`me` lists the caller's own memberships, the room with the latest activity first.",
  'GET /api/members since':
    'Only rooms in which something has happened since this time, or the `X-Next-Cursor` of an earlier answer, which is refused after the database was restored (410, `history_replaced`).',
  'POST /api/members room': 'The room to join, or to add someone to; with `invitation` it may be left out.',
  'POST /api/members user': 'Who is added, by id; without it and `username`, the caller joins.',
  'POST /api/members username': 'Who is added, by name.',
  'POST /api/members invitation': 'The code of an invitation, with which the caller also joins rooms that are closed or hidden.',
  role: 'What the member may do: an owner changes the room and its members, a moderator removes people and messages.',
  last_read: 'The `seq` up to which the member has read; the marker moves forward only.',
  unread_from: 'The `seq` of a message that counts as unread again, with those after it.',
  is_muted: 'Whether the member wants no notifications of this room.',
  ban: 'Whether the user may also not come back until the ban is lifted.',
  'GET /api/bans room': 'Whose bans are listed.',
  'DELETE /api/bans room': 'The room that lifts the ban.',
  'DELETE /api/bans user': 'Who may come back.',
  users: 'The others, each by id or username. The same people have one conversation.',
  'POST /api/blocks user': 'Who is blocked, by id; this or `username` is required.',
  'POST /api/blocks username': 'Who is blocked, by name.',
  'DELETE /api/blocks user': 'Who is blocked no more.',
  'GET /api/messages room': "Whose messages are read; with `q` alone, all of the caller's rooms are searched.",
  'GET /api/messages before': 'The page ends before this `seq`.',
  'GET /api/messages after': 'The page begins after this `seq`.',
  'GET /api/messages around': 'The page has the message with this `seq` in its middle.',
  'GET /api/messages at': 'The page has the first message at or after this time in its middle.',
  'GET /api/messages thread': 'Only the replies to this message.',
  'GET /api/messages user': 'Only the messages of this user.',
  'GET /api/messages pinned': 'Only pinned messages.',
  'GET /api/messages mentions': 'Only messages that mention the caller.',
  'GET /api/messages q':
    'Only messages with all of these words, or with words that begin with them; those within quotation marks next to each other, and none that follows a hyphen here alone. What is written without spaces, such as an address, is found as it is. Case and accents do not matter. The first ten words count.',
  'GET /api/messages order':
    'In which order a search answers: the best matches first, or the newest. Without it each page has the newest that no page before had, and begins with the best of them.',
  'GET /api/messages since': 'Only messages from this time on; with `q`.',
  'GET /api/messages until': 'Only messages before this time; with `q`.',
  'GET /api/messages cursor':
    'Where a search goes on; `Link` has the address of the next page with it. A page may have fewer messages than its limit, or none, and a next page.',
  'POST /api/messages room': 'Where the message goes.',
  text: 'What the message says; `@name` mentions a member, except in code or an address, or after a backslash. Line breaks of all kinds are kept as newlines, the sequences that colour a terminal are not.',
  thread: 'The message that this one replies to; of a reply to a reply, the first of the thread, in which both stand.',
  'GET /api/events room': 'Whose events are read.',
  'GET /api/events after':
    'The `X-Next-Cursor` of the last answer: the events after it come next. Without it nothing comes, but the cursor of this moment. 0 is the beginning. After the database was restored, older cursors are refused (410, `history_replaced`): start over. A bare `seq` is taken until then.',
  'GET /api/events limit': 'How many events come at most.',
};

/** What a parameter of an operation is for. */
export const meaningOfParameter = (method: string, path: string, place: string, name: string): string =>
  find(parameters, [`${method} ${path} ${name}`, `${place} ${name}`, name]);

function find(meanings: Meanings, keys: string[]): string {
  const key = keys.find((one) => Object.hasOwn(meanings, one));
  if (key === undefined) throw new Error(`tools/openapi/meanings.ts does not say what ${keys[0]} is for`);
  return meanings[key] as string;
}
