import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { aRoomOf } from '../support/rooms.ts';
import { inProcess, transports } from '../support/transports.ts';

const [owner, moderator, author, member, stranger, admin] = await Promise.all([
  anAccount(),
  anAccount(),
  anAccount(),
  anAccount(),
  anAccount(),
  anAdmin(),
]);
const people = { owner, moderator, author, member, stranger, admin };
const crowd: Parameters<typeof aRoomOf>[0] = [owner, [moderator, 'moderator'], author, member];
const room = await aRoomOf(crowd);

const date = { $date: expect.stringMatching(/^\d{4}-.*Z$/) };
const { denied, conflict } = refusals;
const noSuchMessage = { status: 404, body: { title: 'Not found', description: 'No such message.', code: 'message_not_found' } };
const isDeleted = conflict('The message is deleted.');
const isArchived = conflict('The room is archived.');

// The actions on a message, and the status of their success.
const actions = {
  read: { method: 'GET', path: '', body: undefined, status: 200 },
  edit: { method: 'PATCH', path: '', body: { text: 'Other' }, status: 200 },
  delete: { method: 'DELETE', path: '', body: undefined, status: 204 },
  react: { method: 'PUT', path: '/reactions/owl', body: {}, status: 200 },
  unreact: { method: 'DELETE', path: '/reactions/owl', body: undefined, status: 200 },
  pin: { method: 'PUT', path: '/pin', body: {}, status: 200 },
  unpin: { method: 'DELETE', path: '/pin', body: undefined, status: 200 },
} as const;
type Action = keyof typeof actions;

describe.each(transports())('/api/messages/{message}, %s', (_transport, call) => {
  const act = (action: Action, { token }: Account, id: string) => {
    const { method, path, body } = actions[action];
    return call(method, `/api/messages/${id}${path}`, { token, body });
  };

  describe.each<[Action, Partial<Record<keyof typeof people, unknown>>]>([
    ['read', { stranger: noSuchMessage }],
    [
      'edit',
      {
        owner: denied('Message author required.'),
        moderator: denied('Message author required.'),
        member: denied('Message author required.'),
        admin: denied('Message author required.'),
        stranger: noSuchMessage,
      },
    ],
    ['delete', { member: denied('Room moderator required.'), stranger: noSuchMessage }],
    ['react', { admin: denied('Room membership required.'), stranger: noSuchMessage }],
    ['unreact', { admin: denied('Room membership required.'), stranger: noSuchMessage }],
    [
      'pin',
      {
        author: denied('Room moderator required.'),
        member: denied('Room moderator required.'),
        admin: denied('Room moderator required.'),
        stranger: noSuchMessage,
      },
    ],
    [
      'unpin',
      {
        author: denied('Room moderator required.'),
        member: denied('Room moderator required.'),
        admin: denied('Room moderator required.'),
        stranger: noSuchMessage,
      },
    ],
  ])('%s', (action, refused) => {
    it.each(Object.entries(people))(`${action} by the %s is allowed or refused as documented`, async (who, account) => {
      const { _id } = await aMessage(author, room);
      const expected = refused[who as keyof typeof people] ?? expect.objectContaining({ status: actions[action].status });
      expect(outcome(await act(action, account, _id.$oid))).toEqual(expected);
    });
  });

  it.each(Object.keys(actions) as Action[])('a request to %s answers 404 for an unknown message and a bad id', async (action) => {
    for (const id of ['f'.repeat(24), 'x']) expect(outcome(await act(action, owner, id))).toEqual(noSuchMessage);
  });

  it.each<[Action, unknown]>([
    ['read', undefined],
    ['edit', isDeleted],
    ['delete', undefined],
    ['react', isDeleted],
    ['unreact', isDeleted],
    ['pin', isDeleted],
    ['unpin', isDeleted],
  ])('a request about a deleted message is allowed or refused as documented: %s', async (action, refusal) => {
    const { _id } = await aMessage(owner, room);
    expect(outcome(await act('delete', owner, _id.$oid))).toEqual({ status: 204, body: '' });
    const expected = refusal ?? expect.objectContaining({ status: actions[action].status });
    expect(outcome(await act(action, owner, _id.$oid))).toEqual(expected);
  });

  it.each<[Action, unknown]>([
    ['read', undefined],
    ['edit', isArchived],
    ['delete', undefined],
    ['react', isArchived],
    ['unreact', isArchived],
    ['pin', isArchived],
    ['unpin', isArchived],
  ])('a request about a message of an archived room is allowed or refused as documented: %s', async (action, refusal) => {
    const here = await aRoomOf([owner]);
    const { _id } = await aMessage(owner, here);
    await rooms.updateOne({ _id: new ObjectId(here) }, { $set: { archived_at: new Date() } });
    const expected = refusal ?? expect.objectContaining({ status: actions[action].status });
    expect(outcome(await act(action, owner, _id.$oid))).toEqual(expected);
  });

  it('PATCH of a message changes the text, its mentions and the time of the edit', async () => {
    const sent = await aMessage(author, room, { text: `Hello @${owner.username}` });
    const text = ` Hello\t@${member.username} `;
    const edited = await call('PATCH', `/api/messages/${sent._id.$oid}`, { token: author.token, body: { text } });
    const expected = { ...sent, text, edited_at: date, mentions: [{ $oid: member.id }] };
    expect(outcome(edited)).toEqual({ status: 200, body: expected });
    expect((await call('GET', `/api/messages/${sent._id.$oid}`, { token: owner.token })).body).toEqual(edited.body);
  });

  it.each<[string, unknown, string]>([
    ['no text', {}, "The 'text' parameter is required."],
    ['a blank text', { text: ' ' }, "The 'text' parameter must have 1 to 10000 characters and not be blank."],
    ['a number', { text: 1 }, "The 'text' parameter must have 1 to 10000 characters and not be blank."],
  ])('PATCH of a message refuses %s', async (_what, body, description) => {
    const { _id } = await aMessage(author, room);
    const refused = await call('PATCH', `/api/messages/${_id.$oid}`, { token: author.token, body });
    expect(refused).toMatchObject({ status: 400, body: { description } });
    expect((await act('edit', author, _id.$oid)).status).toBe(200);
  });

  it('DELETE of a message keeps its place and none of its content', async () => {
    const secret = `secret${crypto.randomUUID().replaceAll('-', '')}`;
    const sent = await aMessage(author, room, { text: `${secret} @${owner.username}`, key: crypto.randomUUID() });
    await act('react', member, sent._id.$oid);
    await act('pin', owner, sent._id.$oid);
    await act('delete', moderator, sent._id.$oid);
    const { body } = await call('GET', `/api/messages/${sent._id.$oid}`, { token: member.token });
    expect(body).toEqual({ ...sent, text: '', mentions: [], reactions: [], deleted_at: date });
    expect((await call('GET', `/api/messages?room=${room}&q=${secret}`, { token: member.token })).body).toEqual([]);
    const stored = await messages.findOne({ _id: new ObjectId(sent._id.$oid) });
    expect(stored).not.toHaveProperty('request_hash');
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('reactions are added and removed as a set, so that both can be repeated', async () => {
    const { _id } = await aMessage(author, room);
    const path = `/api/messages/${_id.$oid}/reactions/`;
    const put = (emoji: string, { token }: Account) => call('PUT', path + encodeURIComponent(emoji), { token, body: {} });
    const twice = [put('👍🏽', member), put('👍🏽', member), put('👍🏽', member)];
    expect((await Promise.all(twice)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await put('👍🏽', owner);
    const { body } = await put(':owl:', owner);
    const thumbs = { emoji: '👍🏽', users: [{ $oid: member.id }, { $oid: owner.id }] };
    expect(body).toMatchObject({ reactions: [thumbs, { emoji: ':owl:', users: [{ $oid: owner.id }] }] });
    for (let times = 0; times < 2; times++) {
      const removed = await call('DELETE', path + encodeURIComponent(':owl:'), { token: owner.token });
      expect(removed).toMatchObject({ status: 200, body: { reactions: [thumbs] } });
    }
  });

  it.each([
    ['a space', 'a b'],
    ['65 characters', 'x'.repeat(65)],
    ['a control character', 'a\u0007'],
  ])('a reaction of %s is refused', async (_what, emoji) => {
    const { _id } = await aMessage(author, room);
    const path = `/api/messages/${_id.$oid}/reactions/`;
    const description = "The 'emoji' parameter must be one emoji, or one word of at most 64 characters.";
    const sent = { token: member.token, body: {} };
    const refusal = { status: 400, body: { title: 'Invalid parameter', description, code: 'invalid_parameter' } };
    expect(outcome(await call('PUT', path + encodeURIComponent(emoji), sent))).toEqual(refusal);
    expect(outcome(await call('DELETE', path + encodeURIComponent(emoji), { token: member.token }))).toEqual(refusal);
    expect((await call('PUT', `${path}${'x'.repeat(64)}`, sent)).status).toBe(200);
  });

  it('a message is pinned and unpinned, and both can be repeated', async () => {
    const { _id } = await aMessage(author, room);
    const pinned = await act('pin', moderator, _id.$oid);
    expect(pinned).toMatchObject({ status: 200, body: { pinned_at: date } });
    expect((await act('pin', owner, _id.$oid)).body).toEqual(pinned.body);
    expect(await act('unpin', owner, _id.$oid)).toMatchObject({ status: 200, body: { pinned_at: null } });
    expect(await act('unpin', owner, _id.$oid)).toMatchObject({ status: 200, body: { pinned_at: null } });
  });

  it('a message of a deleted account is shown without its name', async () => {
    const here = await aRoomOf([owner]);
    const { _id } = await aMessage(owner, here);
    await messages.updateOne({ _id: new ObjectId(_id.$oid) }, { $set: { user: new ObjectId() } });
    expect((await act('read', owner, _id.$oid)).body).toMatchObject({ username: '(deleted)' });
  });
});

describe('concurrent changes of a message', () => {
  it('concurrent reactions add at most 20 different emoji', async () => {
    const { _id } = await aMessage(author, room);
    const put = (emoji: string) =>
      inProcess('PUT', `/api/messages/${_id.$oid}/reactions/${emoji}`, { token: member.token, body: {} });
    const statuses = (await Promise.all(Array.from({ length: 24 }, (_, index) => put(`e${index}`)))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(20).fill(200), ...Array(4).fill(409)]);
    const full = await put('another');
    expect(outcome(full)).toEqual(conflict('The message has 20 different reactions already.'));
    const { body } = await inProcess('GET', `/api/messages/${_id.$oid}`, { token: member.token });
    expect((body as { reactions: unknown[] }).reactions).toHaveLength(20);
  });

  it('concurrent edits, reactions and a deletion leave a deleted message without content', async () => {
    const { _id } = await aMessage(author, room);
    const path = `/api/messages/${_id.$oid}`;
    const actions = Array.from({ length: 12 }, (_, index) => [
      inProcess('PATCH', path, { token: author.token, body: { text: `Other ${index}` } }),
      inProcess('PUT', `${path}/reactions/e${index}`, { token: member.token, body: {} }),
      ...(index === 6 ? [inProcess('DELETE', path, { token: moderator.token })] : []),
    ]).flat();
    const statuses = new Set((await Promise.all(actions)).map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 204, 409].includes(status))).toEqual([]);
    const { body } = await inProcess('GET', path, { token: author.token });
    expect(body).toMatchObject({ text: '', reactions: [], mentions: [], deleted_at: date });
  });
});
