import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../lib/messages/messages.ts';
import { type Account, anAccount, anAdmin, aSession } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { aFile, announced, aPictureOf, type Bytes, measured, readAt } from '../support/files.ts';
import { aMessage } from '../support/messages.ts';
import { useObjectStore } from '../support/own-object-store.ts';
import { anyDate, anyId, outcome } from '../support/responses.ts';
import { addMember, aRoom, aRoomOf, memberId, succeed, type TestRoom } from '../support/rooms.ts';
import { type Call, transports } from '../support/transports.ts';

// The nightly suite also runs this file with an object store, whose own tests are in
// files.object-store.test.ts.
const isThrough = process.env.FILE_STORE !== 's3';
if (!isThrough) await useObjectStore();

const [ann, bob, stranger, admin] = await Promise.all([anAccount(), anAccount(), anAccount(), anAdmin()]);

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(64)]);
const webp = Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1');

const noSuchFile = { title: 'Not found', description: 'No such file.', code: 'file_not_found' };
const conflict = (code: string, description: string) => ({ status: 409, body: { title: 'Conflict', code, description } });
const otherBytes = conflict('other_bytes', 'The bytes do not match the announcement: their number or their SHA-256 differs.');

/** A message of Ann with one file, in a room with Bob. */
async function aSentFile(
  call: Call,
  fields: { bytes?: Bytes; type?: string; name?: string; alt?: string; preview?: Bytes } = {},
) {
  const room = await aRoomOf([ann, bob]);
  const file = await aFile(ann, room, { ...fields, call });
  const message = await aMessage(ann, room, { text: '', files: [file.id] }, call);
  return { ...file, room, message, shown: message.files[0] as Message['files'][number] };
}

const read = (call: Call, { url }: { url: string }, account: Account, headers: Record<string, string> = {}) =>
  readAt(call, url, account, headers);

const used = isThrough ? transports() : transports().slice(0, 1);

describe.each(used)('/api/files, %s', (_transport, call) => {
  const announce = ({ token }: Account, body: object, headers = {}) => call('POST', '/api/files', { token, body, headers });

  it.each(['GET', 'PUT'])('%s of the content of a file refuses an unclear choice of its preview', async (method) => {
    const { url } = await aFile(ann, await aRoomOf([ann]), { call, preview: webp });
    const body = method === 'PUT' ? { body: 'Hello' } : {};
    const reply = await call(method, `${url}?preview=maybe`, { token: ann.token, ...body });
    expect(outcome(reply)).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
  });

  describe('POST', () => {
    if (isThrough)
      it('POST /api/files says how the bytes of a file, and those of its preview, are uploaded', async () => {
        const room = await aRoomOf([ann]);
        const preview = { type: 'image/webp', ...measured(webp) };
        const reply = await announce(ann, announced(room, png, { type: 'IMAGE/PNG', width: 8, height: 8, preview }));
        const upload = (type: string, query = '') => ({
          method: 'PUT',
          url: expect.stringMatching(new RegExp(`^/api/files/[0-9a-f]{24}/content${query.replace('?', '\\?')}$`)),
          headers: { 'Content-Type': type },
          expires_at: anyDate,
        });
        expect(outcome(reply)).toEqual({
          status: 201,
          body: { _id: anyId, upload: upload('image/png'), preview_upload: upload('image/webp', '?preview=true') },
        });
      });

    it('POST /api/files gives the first answer again to the same key, and refuses the key for another file', async () => {
      const room = await aRoomOf([ann]);
      const key = { 'idempotency-key': crypto.randomUUID() };
      const first = await announce(ann, announced(room), key);
      const again = await announce(ann, announced(room), key);
      // Except the expiry of an address in an object store.
      const { _id, upload, ...others } = first.body as { _id: object; upload: object };
      expect(again).toMatchObject({ status: 201, body: isThrough ? { _id, upload, ...others } : { _id } });
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect((await announce(ann, announced(room, 'Other'), key)).status).toBe(422);
    });

    it('POST /api/files announces one file for concurrent requests with one key', async () => {
      const room = await aRoomOf([ann]);
      const key = { 'idempotency-key': crypto.randomUUID() };
      const replies = await Promise.all(Array.from({ length: 5 }, () => announce(ann, announced(room), key)));
      expect(new Set(replies.map(({ body }) => (body as { _id: { $oid: string } })._id.$oid)).size).toBe(1);
    });

    it.each([
      ['a file that is larger than the service takes', { size: 25_000_001 }, 413, 'file_too_large'],
      ['a negative size', { size: -1 }, 400, 'invalid_parameter'],
      ['a type that is none', { type: 'picture' }, 400, 'invalid_parameter'],
      ['a hash of another kind', { sha256: 'abc' }, 400, 'invalid_parameter'],
      ['a name without anything that can be seen', { name: '\u200b' }, 400, 'invalid_parameter'],
      ['a name with a control character', { name: 'a\u0000b' }, 400, 'invalid_parameter'],
      ['a description that is too long', { alt: 'a'.repeat(501) }, 400, 'invalid_parameter'],
      ['a description with a control character', { alt: 'a\u0007b' }, 400, 'invalid_parameter'],
      ['a name that is too long', { name: 'a'.repeat(256) }, 400, 'invalid_parameter'],
      [
        'a preview that is too large',
        { preview: { type: 'image/webp', size: 65_537, sha256: 'a'.repeat(64) } },
        400,
        'invalid_parameter',
      ],
      ['a preview that is a page', { preview: { type: 'text/html', size: 1, sha256: 'a'.repeat(64) } }, 400, 'invalid_parameter'],
    ])('POST /api/files refuses %s', async (_what, fields, status, code) => {
      const reply = await announce(ann, announced(await aRoomOf([ann]), 'Hello', fields));
      expect({ status: reply.status, code: (reply.body as { code: string }).code }).toEqual({ status, code });
    });

    it('POST /api/files refuses a file like a message if the caller cannot write in the room', async () => {
      const hidden = await aRoom({ is_visible: false });
      const [archived, open] = [await aRoom({ owner: ann, archived: true }), await aRoom()];
      const codeFor = async (room: string) => {
        const { status, body } = await announce(ann, announced(room));
        return [status, (body as { code: string }).code];
      };
      expect(await codeFor(hidden.id)).toEqual([404, 'room_not_found']);
      expect(await codeFor('a'.repeat(24))).toEqual([404, 'room_not_found']);
      expect(await codeFor(open.id)).toEqual([403, 'membership_required']);
      expect(await codeFor(archived.id)).toEqual([409, 'room_archived']);
    });
  });

  if (isThrough)
    describe('PUT content', () => {
      const put = (url: string, body: Bytes, { token }: Account = ann) => call('PUT', url, { token, body });

      it('PUT content stores the bytes that were announced, also a second time, and no others', async () => {
        const { url } = await aFile(ann, await aRoomOf([ann]), { bytes: undefined });
        expect((await read(call, { url }, ann)).status).toBe(404);
        expect(outcome(await put(url, 'Hellp'))).toEqual(otherBytes);
        expect(outcome(await put(url, 'Hell'))).toEqual(otherBytes);
        expect(outcome(await put(url, 'Hello!'))).toEqual(otherBytes);
        expect(outcome(await put(url, ''))).toEqual(otherBytes);
        expect((await read(call, { url }, ann)).status).toBe(404);
        expect((await put(url, 'Hello')).status).toBe(204);
        expect((await put(url, 'Hello')).status).toBe(204);
        expect(outcome(await read(call, { url }, ann))).toEqual({ status: 200, body: 'Hello' });
      });

      it('PUT content refuses a long body for a short file, and the connection carries no further request', async () => {
        const { url } = await aFile(ann, await aRoomOf([ann]), { bytes: undefined });
        expect(outcome(await put(url, Buffer.alloc(3_000_000)))).toEqual(otherBytes);
      });

      it('PUT content stores a file without bytes, and a large one', async () => {
        const room = await aRoomOf([ann]);
        const large = randomBytes(6_000_000).toString('hex');
        for (const bytes of ['', large]) {
          const { id, url } = await aFile(ann, room, { bytes, call });
          await aMessage(ann, room, { files: [id] }, call);
          expect((await read(call, { url }, ann)).body).toBe(bytes);
        }
      });

      it('PUT content is for the one who has announced the file, until it is sent', async () => {
        const { url, room } = await aSentFile(call);
        const other = await aFile(ann, room, { bytes: undefined });
        expect(outcome(await put(other.url, 'Hello', bob))).toEqual({ status: 404, body: noSuchFile });
        expect(outcome(await put(`${other.url}?preview=true`, 'Hello'))).toEqual({ status: 404, body: noSuchFile });
        expect(outcome(await put(url, 'Hello'))).toEqual(
          conflict('file_sent', 'The file was sent already: its bytes never change, and it is deleted with its message.'),
        );
      });
    });

  describe('POST /api/messages with files', () => {
    const send = ({ token }: Account, body: object, headers = {}) => call('POST', '/api/messages', { token, body, headers });
    const codeOf = async (reply: ReturnType<Call>) => ((await reply).body as { code?: string }).code;

    it('a message sends files with a text or without, in the order of the sender', async () => {
      const room = await aRoomOf([ann, bob]);
      const picture = await aFile(ann, room, { bytes: png, type: 'image/png', name: 'a.png', preview: webp, call });
      const note = await aFile(ann, room, { call });
      const { body } = await send(ann, { room, files: [picture.id, { $oid: note.id }] });
      const nothing = { width: null, height: null, duration: null };
      expect(body).toMatchObject({
        text: '',
        files: [
          { _id: { $oid: picture.id }, name: 'a.png', type: 'image/png', size: png.length, ...nothing, has_preview: true },
          { _id: { $oid: note.id }, name: 'Notes.txt', type: 'text/plain', size: 5, ...nothing, has_preview: false },
        ],
      });
      const [seen] = (await call('GET', `/api/messages?room=${room}`, { token: bob.token })).body as Message[];
      expect(seen).toEqual(body);
      const [event] = (await call('GET', `/api/events?room=${room}&after=0`, { token: bob.token })).body as { data: Message }[];
      expect(event?.data).toEqual(body);
    });

    it('a picture with too many pixels is only downloaded, and such a preview is not shown', async () => {
      const room = await aRoomOf([ann]);
      const huge = await aFile(ann, room, { bytes: aPictureOf(23_000, 23_000), type: 'image/png', call });
      const preview = Buffer.concat([Buffer.from('RIFF\x10\0\0\0WEBPVP8X', 'latin1'), Buffer.alloc(8), Buffer.alloc(6, 0x20)]);
      const other = await aFile(ann, room, { bytes: aPictureOf(9, 9), type: 'image/png', preview, call });
      expect((await send(ann, { room, files: [huge.id, other.id] })).body).toMatchObject({
        files: [{ type: 'application/octet-stream' }, { type: 'image/png', has_preview: false }],
      });
    });

    it('a message without text and files is refused in the words for one without text', async () => {
      const room = await aRoomOf([ann]);
      expect(await codeOf(send(ann, { room }))).toBe('missing_parameter');
      expect(await codeOf(send(ann, { room, files: [] }))).toBe('missing_parameter');
      expect(await codeOf(send(ann, { room, text: ' ', files: [] }))).toBe('invalid_parameter');
    });

    it('a file belongs to one message: a repeated request returns it, and another request is refused', async () => {
      const room = await aRoomOf([ann]);
      const [one, two] = [await aFile(ann, room, { call }), await aFile(ann, room, { call })];
      const key = { 'idempotency-key': crypto.randomUUID() };
      const first = await send(ann, { room, files: [one.id] }, key);
      const again = await send(ann, { room, files: [one.id] }, key);
      expect({ ...outcome(again), replayed: again.headers['idempotency-replayed'] }).toEqual({
        ...outcome(first),
        replayed: 'true',
      });
      expect((await send(ann, { room, files: [two.id] }, key)).status).toBe(422);
      expect(await codeOf(send(ann, { room, files: [one.id] }))).toBe('file_taken');
      expect(await codeOf(send(ann, { room, files: [two.id, one.id] }))).toBe('file_taken');
      expect((await send(ann, { room, files: [two.id] })).status).toBe(201);
    });

    it.each(['with one key', 'without a key'])('a file is taken once by concurrent requests %s', async (how) => {
      const room = await aRoomOf([ann]);
      const { id } = await aFile(ann, room, { call });
      const key = how === 'with one key' ? { 'idempotency-key': crypto.randomUUID() } : {};
      const replies = await Promise.all(Array.from({ length: 6 }, () => send(ann, { room, files: [id] }, key)));
      const sent = replies.filter(({ status }) => status === 201).map(({ body }) => (body as Message)._id.$oid);
      expect(new Set(sent).size).toBe(1);
      if (how === 'with one key') expect(sent).toHaveLength(6);
      const messages = (await call('GET', `/api/messages?room=${room}`, { token: ann.token })).body as Message[];
      expect(messages.map(({ files }) => files.map(({ _id }) => _id.$oid))).toEqual([[id]]);
    });

    it('a file is taken by one message of different concurrent requests', async () => {
      const room = await aRoomOf([ann]);
      const [one, two] = [await aFile(ann, room, { call }), await aFile(ann, room, { call })];
      const replies = await Promise.all([
        send(ann, { room, files: [one.id, two.id] }),
        send(ann, { room, files: [two.id, one.id] }),
      ]);
      const messages = (await call('GET', `/api/messages?room=${room}`, { token: ann.token })).body as Message[];
      expect(messages).toHaveLength(replies.filter(({ status }) => status === 201).length);
      expect(messages.length).toBeLessThan(2);
    });

    it("a message is refused with another's file, one for another room, one that was not uploaded, and one that does not exist", async () => {
      const room = await aRoomOf([ann, bob]);
      const own = await aFile(ann, await aRoomOf([ann]), { call });
      const others = await aFile(bob, room, { call });
      const bare = await aFile(ann, room, { bytes: undefined, call });
      expect(await codeOf(send(ann, { room, files: [others.id] }))).toBe('file_not_found');
      expect(await codeOf(send(ann, { room, files: [own.id] }))).toBe('file_not_found');
      expect(await codeOf(send(ann, { room, files: ['a'.repeat(24)] }))).toBe('file_not_found');
      expect(await codeOf(send(ann, { room, files: [bare.id] }))).toBe('file_not_uploaded');
      expect(await codeOf(send(ann, { room, files: [bare.id, bare.id] }))).toBe('invalid_parameter');
      expect(await codeOf(send(ann, { room, files: Array(11).fill(bare.id) }))).toBe('invalid_parameter');
    });

    it('a message that is refused for its file leaves no gap', async () => {
      const room = await aRoomOf([ann]);
      const { id } = await aFile(ann, room, { call });
      await Promise.all(Array.from({ length: 4 }, () => send(ann, { room, files: [id] })));
      await aMessage(ann, room, {}, call);
      const events = (await call('GET', `/api/events?room=${room}&after=0`, { token: ann.token })).body as { type: string }[];
      expect(events.map(({ type }) => type)).toEqual(['message.created', 'message.created']);
    });
  });

  it('an edit of a message with files changes only the text, even to an empty one', async () => {
    const { message, room } = await aSentFile(call);
    const edit = (id: string, text: string) => call('PATCH', `/api/messages/${id}`, { token: ann.token, body: { text } });
    expect((await edit(message._id.$oid, 'Look')).body).toMatchObject({ text: 'Look', files: message.files });
    expect((await edit(message._id.$oid, ' ')).body).toMatchObject({ text: '', files: message.files });
    const plain = await aMessage(ann, room, {}, call);
    expect((await edit(plain._id.$oid, ' ')).status).toBe(400);
  });

  it('a search finds the name of a file, also after its text was edited', async () => {
    const name = `Quartalsbericht ${crypto.randomUUID().slice(0, 8)}.pdf`;
    const { message, room } = await aSentFile(call, { name });
    const search = async () =>
      ((await call('GET', `/api/messages?room=${room}&q=quartals`, { token: bob.token })).body as Message[]).map(
        ({ _id }) => _id.$oid,
      );
    expect(await search()).toEqual([message._id.$oid]);
    await call('PATCH', `/api/messages/${message._id.$oid}`, { token: ann.token, body: { text: 'Here it is' } });
    expect(await search()).toEqual([message._id.$oid]);
  });

  it.each([
    ['as it was sent, without blanks around it', ' A heron on a roof\n', 'A heron on a roof'],
    ['of 500 characters', '𝒜'.repeat(500), '𝒜'.repeat(500)],
    ['not at all, if nothing of it can be seen', ' \u200b', undefined],
  ])('the description of a file is shown %s', async (_what, alt, shown) => {
    const { message } = await aSentFile(call, { alt });
    const seen = (await call('GET', `/api/messages/${message._id.$oid}`, { token: bob.token })).body as Message;
    expect(seen.files.map((file) => file.alt)).toEqual([shown]);
  });

  it('a search finds the description of a file, also after its text was edited', async () => {
    const { message, room } = await aSentFile(call, { alt: 'A heron on a roof' });
    const search = async () =>
      ((await call('GET', `/api/messages?room=${room}&q=heron`, { token: bob.token })).body as Message[]).map(
        ({ _id }) => _id.$oid,
      );
    expect(await search()).toEqual([message._id.$oid]);
    await call('PATCH', `/api/messages/${message._id.$oid}`, { token: ann.token, body: { text: 'Here it is' } });
    expect(await search()).toEqual([message._id.$oid]);
    await call('DELETE', `/api/messages/${message._id.$oid}`, { token: ann.token });
    expect(await search()).toEqual([]);
  });

  describe('DELETE', () => {
    const takeBack = ({ id }: { id: string }, { token }: Account) => call('DELETE', `/api/files/${id}`, { token });

    it.each([
      ['was announced', { bytes: undefined }],
      ['was uploaded', { bytes: 'Hello', preview: webp }],
    ])('DELETE takes back a file that %s, once, and for nobody but its sender', async (_what, fields) => {
      const room = await aRoomOf([ann, bob]);
      const file = await aFile(ann, room, { ...fields, call });
      const refused = { status: 404, body: noSuchFile };
      expect(outcome(await takeBack(file, bob))).toEqual(refused);
      expect(outcome(await takeBack(file, admin))).toEqual(refused);
      expect(outcome(await takeBack(file, ann))).toEqual({ status: 204, body: '' });
      expect(outcome(await takeBack(file, ann))).toEqual(refused);
      expect((await read(call, file, ann)).status).toBe(404);
      const sent = await call('POST', '/api/messages', { token: ann.token, body: { room, files: [file.id] } });
      expect(outcome(sent)).toEqual(refused);
    });

    it('DELETE refuses a file that was sent and keeps it', async () => {
      const file = await aSentFile(call);
      expect(outcome(await takeBack(file, ann))).toMatchObject({ status: 409, body: { code: 'file_sent' } });
      expect(outcome(await takeBack(file, bob))).toEqual({ status: 404, body: noSuchFile });
      expect((await read(call, file, bob)).status).toBe(200);
    });

    it('the key of a file that was taken back announces a new one', async () => {
      const room = await aRoomOf([ann]);
      const key = crypto.randomUUID();
      const first = await aFile(ann, room, { key, call });
      await takeBack(first, ann);
      const second = await aFile(ann, room, { key, call });
      expect(second.id).not.toBe(first.id);
      expect((await aMessage(ann, room, { files: [second.id] }, call)).files).toHaveLength(1);
    });

    it('DELETE of a file and a concurrent message with it never both succeed', async () => {
      const room = await aRoomOf([ann, bob]);
      const file = await aFile(ann, room, { call });
      const [deleted, sent] = await Promise.all([
        takeBack(file, ann),
        call('POST', '/api/messages', { token: ann.token, body: { room, files: [file.id] } }),
      ]);
      expect([deleted.status, (sent.body as { code?: string }).code]).toEqual(
        sent.status === 201 ? [409, undefined] : [204, expect.stringMatching(/^file_(not_found|not_uploaded|taken)$/)],
      );
      expect((await read(call, file, bob)).status).toBe(sent.status === 201 ? 200 : 404);
    });
  });

  describe('GET content', () => {
    it('GET content gives the bytes only to users who may read the message now', async () => {
      const room = await aRoom({ owner: ann, members: [bob], is_visible: false });
      const file = await aFile(ann, room.id, { call });
      const statuses = async () =>
        Promise.all([ann, bob, stranger, admin].map(async (one) => (await read(call, file, one)).status));
      expect(await statuses()).toEqual([200, 404, 404, 404]);
      const { _id } = await aMessage(ann, room.id, { files: [file.id] }, call);
      expect(await statuses()).toEqual([200, 200, 404, 200]);
      expect((await call('GET', file.url)).status).toBe(401);
      // It is indistinguishable from one that does not exist.
      expect(await read(call, file, stranger)).toMatchObject({ status: 404, body: noSuchFile });
      expect(await read(call, { url: `/api/files/${'a'.repeat(24)}/content` }, stranger)).toMatchObject({
        status: 404,
        body: noSuchFile,
      });
      await call('DELETE', `/api/members/${await memberId(room, bob)}`, { token: ann.token });
      expect(await statuses()).toEqual([200, 404, 404, 200]);
      const back = await addMember(room, bob);
      expect((await read(call, file, bob)).status).toBe(200);
      await call('DELETE', `/api/members/${back}?ban=true`, { token: ann.token });
      expect((await read(call, file, bob)).status).toBe(404);
      await call('DELETE', `/api/messages/${_id.$oid}`, { token: ann.token });
      expect(await statuses()).toEqual([404, 404, 404, 404]);
    });

    describe('people who may not read a file', () => {
      /** A token, and the file, message and room that a request may ask for. */
      type Left = { token: string; url: string; id: string; message: string; room: string };

      /** All requests that return a file, change it, or could reveal it. */
      const ways: [what: string, ask: (left: Left) => ReturnType<Call>, told?: number[]][] = [
        ...['', '?preview=true', '?download=true'].flatMap((query): typeof ways => [
          [`GET${query}`, ({ url, token }) => readAt(call, `${url}${query}`, { token })],
          [`HEAD${query}`, ({ url, token }) => readAt(call, `${url}${query}`, { token }, {}, 'HEAD')],
          [`a part${query}`, ({ url, token }) => readAt(call, `${url}${query}`, { token }, { range: 'bytes=0-3' })],
          [`its ETag${query}`, ({ url, token }) => readAt(call, `${url}${query}`, { token }, { 'if-none-match': '*' })],
        ]),
        ['PUT', ({ url, token }) => call('PUT', url, { token, body: 'Hello' })],
        ['DELETE', ({ id, token }) => call('DELETE', `/api/files/${id}`, { token })],
        ['sending it again', ({ id, room, token }) => call('POST', '/api/messages', { token, body: { room, files: [id] } })],
        ['its message', ({ message, token }) => call('GET', `/api/messages/${message}`, { token }), [200]],
        ['the room', ({ room, token }) => call('GET', `/api/messages?room=${room}`, { token }), [200]],
        ['a search', ({ token }) => call('GET', '/api/messages?q=heron', { token }), [200, 400]],
        ['a search of the room', ({ room, token }) => call('GET', `/api/messages?room=${room}&q=heron`, { token }), [200]],
        ['the events', ({ room, token }) => call('GET', `/api/events?room=${room}&after=0`, { token }), [200]],
        ['the saved', ({ token }) => call('GET', '/api/saved', { token }), [200]],
        ['the notifications', ({ token }) => call('GET', '/api/notifications', { token }), [200]],
        ['the rooms', ({ token }) => call('GET', '/api/rooms', { token }), [200]],
        ['the thread', ({ message, token }) => call('GET', `/api/messages?thread=${message}`, { token }), [200, 400]],
      ];

      it.each<[who: string, lose: (sent: Left & { members: TestRoom }, reader: Account, sender: Account) => Promise<string>]>([
        ['was never a member', async () => stranger.token],
        ['is a bot of a member', async (_sent, reader) => (await aBot(reader)).token],
        [
          'left',
          async ({ members }, reader) => {
            await remove(members, reader, reader);
            return reader.token;
          },
        ],
        [
          'was removed',
          async ({ members }, reader) => {
            await remove(members, reader, members.owner);
            return reader.token;
          },
        ],
        [
          'was banned',
          async ({ members }, reader) => {
            await remove(members, reader, members.owner, '?ban=true');
            return reader.token;
          },
        ],
        [
          'has sent it, and left',
          async ({ members }, _reader, sender) => {
            await remove(members, sender, sender);
            return sender.token;
          },
        ],
        [
          'has sent it, and deleted the message',
          async ({ message }, _reader, sender) => {
            await succeed(call('DELETE', `/api/messages/${message}`, { token: sender.token }));
            return sender.token;
          },
        ],
        [
          'is an administrator, of a room that is deleted',
          async ({ room }) => {
            await succeed(call('DELETE', `/api/rooms/${room}`, { token: admin.token }));
            return admin.token;
          },
        ],
        [
          'has signed out',
          async (_sent, reader) => {
            const token = await aSession(call, reader);
            await succeed(call('DELETE', '/api/sessions/current', { token }));
            return token;
          },
        ],
        ['does not sign in', async () => ''],
        ['guesses a token', async () => 'a'.repeat(64)],
      ])('one who %s gets nothing of it in any way', async (_who, lose) => {
        const [sender, reader] = await Promise.all([anAccount(), anAccount()]);
        const members = await aRoom({ members: [sender, reader], is_visible: false });
        const secret = crypto.randomUUID();
        const wanted = {
          bytes: Buffer.concat([png, Buffer.from(secret)]),
          preview: webp,
          name: `${secret}.png`,
          alt: `heron ${secret}`,
        };
        const { id, url } = await aFile(sender, members.id, { ...wanted, type: 'image/png', call });
        const text = `@${reader.username} look`;
        const message = (await aMessage(sender, members.id, { text, files: [id] }, call))._id.$oid;
        await succeed(call('PUT', `/api/messages/${message}/save`, { token: reader.token, body: {} }));
        const left = { url, id, message, room: members.id };
        // The file exists and is visible until then.
        for (const [what, ask] of ways)
          if (/^(GET|its message|the room|a search of the room|the events|the saved)$/.test(what))
            expect([what, JSON.stringify(await ask({ ...left, token: reader.token }))]).toEqual([
              what,
              expect.stringContaining(secret),
            ]);
        const token = await lose({ ...left, token: '', members }, reader, sender);
        for (const [what, ask, told = []] of ways) {
          const reply = await ask({ ...left, token });
          const isRefused = [401, 403, 404, 409].includes(reply.status) || told.includes(reply.status);
          expect([what, reply.status, isRefused, JSON.stringify(reply).includes(secret)]).toEqual([
            what,
            reply.status,
            true,
            false,
          ]);
        }
      });

      const remove = async (room: TestRoom, account: Account, by: Account, query = '') =>
        succeed(call('DELETE', `/api/members/${await memberId(room, account)}${query}`, { token: by.token }));
    });

    it('deleting a message deletes the names and bytes of its files', async () => {
      const { message, url } = await aSentFile(call, { name: 'Secret plan.txt' });
      await call('DELETE', `/api/messages/${message._id.$oid}`, { token: ann.token });
      const deleted = await call('GET', `/api/messages/${message._id.$oid}`, { token: bob.token });
      expect(deleted.body).toMatchObject({ text: '', files: [] });
      expect((await read(call, { url }, ann)).status).toBe(404);
    });

    it('a deleted room leaves nothing of its files', async () => {
      const { url, room } = await aSentFile(call);
      expect((await call('DELETE', `/api/rooms/${room}`, { token: admin.token })).status).toBe(204);
      expect((await read(call, { url }, admin)).status).toBe(404);
    });

    it('a deleted account leaves the files that it has sent, and no others', async () => {
      const room = await aRoom({ owner: ann });
      const leaver = await anAccount();
      await addMember(room, leaver);
      const [sent, unsent] = [await aFile(leaver, room.id, { call }), await aFile(leaver, room.id, { call })];
      await aMessage(leaver, room.id, { files: [sent.id] }, call);
      const body = { current_password: leaver.password };
      expect((await call('DELETE', '/api/users/me', { token: leaver.token, body })).status).toBe(204);
      expect((await read(call, sent, ann)).status).toBe(200);
      expect((await read(call, unsent, admin)).status).toBe(404);
    });

    it('GET content gives the preview apart from the file', async () => {
      const { url, shown } = await aSentFile(call, { bytes: png, type: 'image/png', preview: webp });
      expect(shown.has_preview).toBe(true);
      const { headers } = await read(call, { url: `${url}?preview=true` }, bob);
      expect(headers).toMatchObject({ 'content-type': 'image/webp', 'content-length': String(webp.length) });
      const other = await aSentFile(call);
      expect((await read(call, { url: `${other.url}?preview=true` }, bob)).status).toBe(404);
    });

    if (isThrough)
      it.each([
        ['bytes=0-4', 206, 'Hello', 'bytes 0-4/11'],
        ['bytes=6-', 206, 'there', 'bytes 6-10/11'],
        ['bytes=-3', 206, 'ere', 'bytes 8-10/11'],
        ['bytes=-100', 206, 'Hello there', 'bytes 0-10/11'],
        ['bytes=9-100', 206, 're', 'bytes 9-10/11'],
        ['bytes=4-2', 200, 'Hello there', undefined],
        ['bytes=0-1,3-4', 200, 'Hello there', undefined],
        ['lines=1-2', 200, 'Hello there', undefined],
        ['bytes=-', 200, 'Hello there', undefined],
      ])('GET content gives the part that %s asks for: %i', async (range, status, body, part) => {
        const file = await aSentFile(call, { bytes: 'Hello there' });
        const reply = await read(call, file, bob, { range });
        expect({ ...outcome(reply), part: reply.headers['content-range'] }).toEqual({ status, body, part });
      });

    if (isThrough)
      it('GET content refuses a part after the end, also of a file without bytes', async () => {
        for (const bytes of ['Hello', '']) {
          const reply = await read(call, await aSentFile(call, { bytes }), bob, { range: 'bytes=5-' });
          expect([reply.status, reply.headers['content-range']]).toEqual([416, `bytes */${bytes.length}`]);
        }
      });

    if (isThrough)
      it('GET content gives a part with If-Range if the file is the same, and 304 to a caller who has all of it', async () => {
        const file = await aSentFile(call);
        const { etag = '' } = (await read(call, file, bob)).headers;
        expect(outcome(await read(call, file, bob, { range: 'bytes=1-2', 'if-range': etag }))).toEqual({
          status: 206,
          body: 'el',
        });
        expect((await read(call, file, bob, { range: 'bytes=1-2', 'if-range': '"other"' })).status).toBe(200);
        const known = await read(call, file, bob, { 'if-none-match': etag });
        expect({ ...outcome(known), cache: known.headers['cache-control'] }).toEqual({
          status: 304,
          body: '',
          cache: 'private, no-cache',
        });
        expect((await read(call, file, stranger, { 'if-none-match': etag })).status).toBe(404);
      });

    it('HEAD content has the headers of GET', async () => {
      const file = await aSentFile(call);
      const head = await readAt(call, file.url, bob, {}, 'HEAD');
      const get = await read(call, file, bob);
      expect([head.status, head.body]).toEqual([200, '']);
      for (const name of ['content-length', 'content-type', 'etag', 'content-disposition', 'accept-ranges'])
        expect(head.headers[name]).toBe(get.headers[name]);
    });

    it.each([
      ['image/png', png, 'image/png', 'inline'],
      ['image/jpg', Buffer.from('ffd8ffe0', 'hex'), 'image/jpeg', 'inline'],
      // With the wrong extension, as is common.
      ['image/jpeg', webp, 'image/webp', 'inline'],
      ['image/png', Buffer.from('<script>alert(1)</script>'), 'application/octet-stream', 'attachment'],
      ['image/png', Buffer.alloc(0), 'application/octet-stream', 'attachment'],
      ['application/pdf', Buffer.from('%PDF-1.7'), 'application/pdf', 'inline'],
      ['application/pdf', Buffer.from('<html>%PDF-1.7'), 'application/octet-stream', 'attachment'],
      ['image/gif', Buffer.from('GIF89a/*\0\0<svg onload=alert(1)>*/=1;'), 'image/gif', 'inline'],
    ])('a file that says to be %s is shown as its bytes are', async (claimed, bytes, type, disposition) => {
      const file = await aSentFile(call, { type: claimed, bytes });
      expect(file.shown.type).toBe(type);
      const { headers } = await read(call, file, bob, { accept: 'image/*' });
      expect(headers).toMatchObject({ 'content-type': type });
      expect(headers['content-disposition']).toMatch(new RegExp(`^${disposition}; `));
      const download = await read(call, { url: `${file.url}?download=true` }, bob);
      expect(download.headers['content-disposition']).toMatch(/^attachment; /);
      if (!isThrough) return;
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    });

    it.each(['image/svg+xml', 'text/html', 'text/javascript', 'application/xhtml+xml', 'text/plain', 'video/quicktime'])(
      'a file that says to be %s is given only as bytes to store, in a sandbox',
      async (type) => {
        const file = await aSentFile(call, { type, bytes: '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>' });
        expect(file.shown.type).toBe(type);
        const { headers } = await read(call, file, bob);
        expect(headers['content-type']).toBe('application/octet-stream');
        expect(headers['content-disposition']).toMatch(/^attachment; /);
        if (isThrough) expect(headers['content-security-policy']).toMatch(/; sandbox$/);
      },
    );

    it.each([
      ['Grüße 🦉.txt', `filename="Gr__e __.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%F0%9F%A6%89.txt`],
      ['../../etc/passwd', `filename="__.._etc_passwd"; filename*=UTF-8''__.._etc_passwd`],
      ['..', `filename="_"; filename*=UTF-8''_`],
      ['a%00b.txt', `filename="a_00b.txt"; filename*=UTF-8''a%2500b.txt`],
      ['a"; filename="b.exe', `filename="a__ filename=_b.exe"; filename*=UTF-8''a_%3B%20filename%3D_b.exe`],
      // Without the override character that would make it look like a picture.
      ['photo\u202egpj.exe', `filename="photogpj.exe"; filename*=UTF-8''photogpj.exe`],
      ["it's (1).txt", `filename="it's (1).txt"; filename*=UTF-8''it%27s%20%281%29.txt`],
      ['漢'.repeat(255), `filename="${'_'.repeat(255)}"; filename*=UTF-8''${'%E6%BC%A2'.repeat(255)}`],
    ])('a file is stored under a name that leaves no directory: %s', async (name, expected) => {
      const file = await aSentFile(call, { name });
      expect(file.shown.name).toBe(name.replace('\u202e', ''));
      expect((await read(call, file, bob)).headers['content-disposition']).toBe(`attachment; ${expected}`);
    });
  });
});
