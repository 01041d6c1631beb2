import { describe, expect, it } from 'vitest';
import { withoutLinks } from '../../lib/accounts/invitation-mails.ts';
import type { NewInvitation } from '../../lib/members/invitations.ts';
import { type Account, aName, anAccount, anAddress, anAdmin } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { callWith } from '../support/config.ts';
import { invalid, refusals } from '../support/error-bodies.ts';
import { mailsTo } from '../support/mail.ts';
import { outcome } from '../support/responses.ts';
import { addMember, aRoom, type TestRoom } from '../support/rooms.ts';
import { type Call, inProcess, transports } from '../support/transports.ts';

const limited = callWith({ RATE_LIMITS: 'on', WRITE_BURST: '1000' });

const anEmail = () => `${aName()}@example.org`;
const send = (call: Call, { path, owner }: TestRoom, body: object, { token }: Pick<Account, 'token'> = owner) =>
  call('POST', `${path}/invitations`, { token, body, source: anAddress() });
const listed = async ({ path, owner }: TestRoom) =>
  (await inProcess('GET', `${path}/invitations`, { token: owner.token })).body as NewInvitation[];

describe.each(transports())('an invitation by e-mail, %s', (_transport, call) => {
  it('an invitation by e-mail brings a link that one person can use, with who invites whom to where', async () => {
    const owner = await anAccount({ name: 'Ann Owner' });
    const room = await aRoom({ owner, name: 'Plans', is_open: false });
    const email = anEmail();
    const sent = await send(call, room, { email });
    expect(sent).toMatchObject({ status: 201, body: { uses_left: 1, expires_at: null } });
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    expect(mail).toEqual({
      subject: 'An invitation to Chat',
      text: expect.stringMatching(
        /^"Ann Owner" invites you to the room "Plans" of Chat\.\n\nTo join, open this link:\n\nhttps:\/\/chat\.example\.org\/join#[a-z0-9]{32}\n/,
      ),
      code: (sent.body as NewInvitation).code,
    });
    const [one, other] = [await anAccount(), await anAccount()];
    const accept = ({ token }: Account) => call('POST', '/api/members', { token, body: { invitation: mail?.code } });
    expect((await accept(one)).status).toBe(201);
    expect(outcome(await accept(other))).toEqual(refusals.noSuch('invitation'));
  });

  it('an invitation by e-mail says until when it is valid, and can be used as often as its maker wants', async () => {
    const [room, email] = [await aRoom(), anEmail()];
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect((await send(call, room, { email, uses: 3, expires_at: tomorrow })).body).toMatchObject({ uses_left: 3 });
    expect(mailsTo(email)[0]?.text).toContain(`open this link until ${tomorrow.slice(0, 10)}`);
  });

  it('only members who may invite can send an invitation by e-mail', async () => {
    const room = await aRoom();
    const [member, stranger, moderator, admin] = [await anAccount(), await anAccount(), await anAccount(), await anAdmin()];
    await addMember(room, member);
    await addMember(room, moderator, 'moderator');
    const email = anEmail();
    expect((await send(call, room, { email }, stranger)).status).toBe(403);
    expect(mailsTo(email)).toEqual([]);
    for (const who of [member, moderator, admin]) expect((await send(call, room, { email }, who)).status).toBe(201);
    expect(mailsTo(email)).toHaveLength(3);
  });

  it('an invitation by e-mail tells nobody whether an address has an account', async () => {
    const [room, known, unknown] = [await aRoom(), await anAccount(), anEmail()];
    const replies = [await send(call, room, { email: known.email }), await send(call, room, { email: unknown })];
    for (const reply of replies) expect(reply.status).toBe(201);
    expect(mailsTo(known.email).map(({ subject }) => subject)).toEqual(mailsTo(unknown).map(({ subject }) => subject));
  });

  it('an invitation by e-mail goes to exactly one address, with any input', async () => {
    const room = await aRoom();
    for (const email of [`${anEmail()},${anEmail()}`, `${anEmail()}\r\nBcc: ${anEmail()}`, 'nobody', ''])
      expect(outcome(await send(call, room, { email }))).toEqual({ status: 400, body: invalid('email', 'be an e-mail address') });
    expect(await listed(room)).toEqual([]);
  });
});

describe('names in an invitation by e-mail', () => {
  it.each([
    ['https://evil.example/win?now', 'https evil example win now'],
    ['www.evil.example', 'www evil example'],
    ['evil。example', 'evil example'],
    ['evil．example', 'evil example'],
    ['a@evil.example', 'a evil example'],
    ['Ann\r\n\r\nhttp://x.example', 'Ann http x example'],
    ['Ann\u202e\u200b\u0007 O’Neill-Ünal', 'Ann O’Neill-Ünal'],
    ['<a href="x">', 'a href x'],
    ['漢字 عربي', '漢字 عربي'],
    ['x'.repeat(100), 'x'.repeat(40)],
    ['...', ''],
  ])('names in an invitation by e-mail are words alone: %j', (name, expected) => {
    expect(withoutLinks(name)).toBe(expected);
  });

  it('names in an invitation by e-mail are words alone in the e-mail that is sent, also where nothing is left of a name', async () => {
    const owner = await anAccount({ name: '://' });
    const room = await aRoom({ owner, name: 'Win now: https://evil.example' });
    const email = anEmail();
    await send(inProcess, room, { email });
    const text = mailsTo(email)[0]?.text ?? '';
    expect(text.split('\n')[0]).toBe(`"${owner.username}" invites you to the room "Win now https evil example" of Chat.`);
    expect(text.match(/\w+:\/\/[^/\s]+/g)).toEqual(['https://chat.example.org']);
  });
});

describe('a bot', () => {
  it('a bot sends no invitations, because each would have limits of its own', async () => {
    const room = await aRoom();
    const bot = await aBot(room.owner);
    await addMember(room, bot, 'moderator');
    expect(outcome(await send(inProcess, room, { email: anEmail() }, bot))).toEqual(
      refusals.denied('A bot cannot send invitations by e-mail.'),
    );
    expect((await send(inProcess, room, {}, bot)).status).toBe(201);
  });
});

describe('invitations by e-mail', () => {
  const statuses = async (count: number, ask: (at: number) => Promise<{ status: number }>) => {
    const found = [];
    for (let at = 0; at < count; at++) found.push((await ask(at)).status);
    return found;
  };

  it('invitations by e-mail are at most 2 a day from somebody to one address, 5 from all, and 20 from somebody to all', async () => {
    const rooms = await Promise.all(Array.from({ length: 4 }, () => aRoom()));
    const email = anEmail();
    const [first, second, third, fourth] = rooms as [TestRoom, TestRoom, TestRoom, TestRoom];
    expect(await statuses(3, () => send(limited, first, { email }))).toEqual([201, 201, 429]);
    // Also in another spelling.
    expect(await statuses(3, () => send(limited, second, { email: email.toUpperCase() }))).toEqual([201, 201, 429]);
    expect(await statuses(2, () => send(limited, third, { email }))).toEqual([201, 429]);
    expect(mailsTo(email)).toHaveLength(3);
    expect(await statuses(21, () => send(limited, fourth, { email: anEmail() }))).toEqual([...Array(20).fill(201), 429]);
    // A refused request does not create an invitation.
    expect(await listed(fourth)).toHaveLength(20);
    const refused = await send(limited, fourth, { email: anEmail() });
    expect(refused.headers).toHaveProperty('retry-after');
    // Links that are not sent go on.
    expect((await send(limited, fourth, {})).status).toBe(201);
  });

  it('invitations by e-mail of administrators may be more than those of others', async () => {
    const owner = await anAdmin();
    const room = await aRoom({ owner });
    expect(new Set(await statuses(22, () => send(limited, room, { email: anEmail() })))).toEqual(new Set([201]));
  });

  it('invitations by e-mail do not exceed their limits when they are sent at the same moment', async () => {
    const [room, email] = [await aRoom(), anEmail()];
    const replies = await Promise.all(Array.from({ length: 6 }, () => send(limited, room, { email })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429]);
    expect(mailsTo(email)).toHaveLength(2);
  });

  it('invitations by e-mail do not count if the caller may not invite', async () => {
    const [room, stranger, email] = [await aRoom(), await anAccount(), anEmail()];
    await statuses(6, () => send(limited, room, { email }, stranger));
    expect((await send(limited, room, { email })).status).toBe(201);
  });
});
