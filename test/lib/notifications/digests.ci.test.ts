import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { sendDigestsMeanwhile } from '../../../hosts/server/work/digests.ts';
import { activities } from '../../../lib/collections/accounts/activities.ts';
import { tokens } from '../../../lib/collections/accounts/tokens.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { digestRounds, digests } from '../../../lib/collections/delivery/digests.ts';
import { sendDigests } from '../../../lib/notifications/digests.ts';
import { startMailServer } from '../../../tools/harness/mail-server.ts';
import { aName, anAccount, aSession, logIn } from '../../support/accounts.ts';
import { useConfig, useOwnDatabase, withPatience } from '../../support/config.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { runSchedule } from '../../support/jobs.ts';
import { mailHeaders, type ReceivedMail, readMail } from '../../support/mail.ts';
import { aMessage } from '../../support/messages.ts';
import { aDevice, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { aRoom, memberId, succeed } from '../../support/rooms.ts';
import { commandsOf, planOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';

usePushService();
await useDatabaseOutside();

/**
 * The behaviour of the mail server: it accepts, rejects temporarily or permanently, or stays silent
 * after the greeting or the e-mail.
 */
type Answers = 'take' | 'later' | 'refuse' | 'silent' | 'silent at the e-mail' | 'silent after the e-mail';
let answers: Answers = 'take';
type Digest = ReceivedMail & { headers: Record<string, string> };
const received: { to: string; mail: Digest }[] = [];
/** Runs when an e-mail has arrived, before the mail server confirms it. */
let onMail: () => Promise<unknown> = async () => undefined;

const refuse = (responseCode: number) => Object.assign(new Error('no'), { responseCode });
const server = await startMailServer(
  async ([to = ''], source) => {
    received.push({ to, mail: { ...readMail(source), headers: mailHeaders(source) } });
    await onMail();
    if (answers === 'silent after the e-mail') await new Promise(() => undefined);
  },
  {
    onConnect: (_session, done) => {
      if (answers !== 'silent') done();
      // The first connection only checks the server.
      if (answers === 'silent at the e-mail') answers = 'silent';
    },
    onRcptTo: (_address, _session, done) =>
      done(answers === 'later' ? refuse(451) : answers === 'refuse' ? refuse(550) : undefined),
  },
);
afterAll(() => void server.close());

// This must happen before the service reads its settings.
useConfig({ SMTP_URL: server.url, MAIL_FROM: 'chat@example.org', PUBLIC_URL: 'https://chat.example.org' });
useOwnDatabase();
type Account = Awaited<ReturnType<typeof anAccount>>;
type TestRoom = Awaited<ReturnType<typeof aRoom>>;

const hour = 3_600_000;
const send = () => sendDigests({ until: performance.now() + 60_000 });
const mailsOf = ({ email }: Account) => received.filter(({ to }) => to === email).map(({ mail }) => mail);
const changeMe = ({ token }: Account, body: object) => succeed(call('PATCH', '/api/users/me', { token, body }));

/** Somebody with a confirmed address and without a session. */
async function anAddressee(): Promise<Account> {
  const account = await anAccount();
  await users.updateOne({ _id: new ObjectId(account.id) }, { $set: { confirmed_email: account.email } });
  return account;
}

/** Two people in a room; one has mentioned the other. */
async function mentioned({ text = 'look at the **plan**', name = 'Release' } = {}) {
  const [ann, bob] = [await anAddressee(), await anAccount()];
  const room = await aRoom({ owner: bob, members: [ann], name });
  const message = await aMessage(bob, room.id, { text: `@${ann.username} ${text}` });
  return { ann, bob, room, message };
}

const converse = async ({ token }: Account, other: Account): Promise<string> => {
  const { body } = await succeed(call('POST', '/api/conversations', { token, body: { users: [other.username] } }));
  return (body as { _id: { $oid: string } })._id.$oid;
};

const changeMembership = async (room: TestRoom, account: Account, body: object) =>
  succeed(call('PATCH', `/api/members/${await memberId(room, account)}`, { token: account.token, body }));

/** Lets time pass since somebody's last e-mail or last use of a session. */
const pass = (account: Account, milliseconds: number) =>
  digests.updateOne({ _id: new ObjectId(account.id) }, [{ $set: { at: { $add: ['$at', -milliseconds] } } }]);
async function useSession({ id }: Account, ago: number): Promise<void> {
  const at = new Date(Date.now() - ago);
  await tokens.updateMany({ user: new ObjectId(id), kind: 'session' }, { $set: { last_used_at: at } });
  await activities.updateOne({ _id: new ObjectId(id) }, { $set: { at } }, { upsert: true });
}

describe('somebody who was away for a day', () => {
  it('somebody who was away for a day gets one e-mail about unread mentions and direct messages, each with its address', async () => {
    const { ann, bob, room, message } = await mentioned();
    const direct = await converse(bob, ann);
    const { seq } = await aMessage(bob, direct, { text: 'Are you there?' });
    await aMessage(bob, room.id, { text: 'This is for nobody in particular' });
    await Promise.all([send(), send(), send()]);
    await send();
    const [mail, ...others] = mailsOf(ann);
    expect(others).toEqual([]);
    const { subject, text = '' } = mail ?? {};
    expect(subject).toBe('Unread messages in Chat');
    expect(text).toContain(`\n${bob.username} in Release:\n> @${ann.username} look at the plan\n`);
    expect(text).toContain(`\nhttps://chat.example.org/rooms/${room.id}/${message.seq}\n`);
    expect(text).toContain(`\n${bob.username}:\n> Are you there?\nhttps://chat.example.org/rooms/${direct}/${seq}\n`);
    expect(text).not.toContain('nobody in particular');
  });

  it('somebody who was away for a day gets the next e-mail a day later, with newer messages only', async () => {
    const { ann, bob, room } = await mentioned({ text: 'first' });
    await send();
    await aMessage(bob, room.id, { text: `@${ann.username} second` });
    await pass(ann, 23 * hour);
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
    await pass(ann, 2 * hour);
    await send();
    await pass(ann, 25 * hour);
    await send();
    expect(mailsOf(ann)).toHaveLength(2);
    expect(mailsOf(ann)[1]?.text).toContain('second');
    expect(mailsOf(ann)[1]?.text).not.toContain('first');
  });

  it('somebody who was away for a day gets at most twenty messages, and a note if there are more', async () => {
    const { ann, bob, room } = await mentioned({ text: 'number 0' });
    for (let number = 1; number <= 20; number++) await aMessage(bob, room.id, { text: `@${ann.username} number ${number}.` });
    await send();
    const [{ text = '' } = {}] = mailsOf(ann);
    expect(text.match(/number \d+/g)).toHaveLength(20);
    expect(text).not.toContain('number 0');
    expect(text).toContain('\nThere are more: https://chat.example.org/\n');
  });

  it('somebody who was away for a day reads no text where that is left out of notifications', async () => {
    const { ann, bob } = await mentioned();
    await changeMe(ann, { hides_push_text: true });
    await send();
    expect(mailsOf(ann)[0]?.text).toContain(`\n${bob.username} in Release\nhttps://`);
    expect(mailsOf(ann)[0]?.text).not.toContain('plan');
  });

  it.each([
    ['of conversations that are to tell of all', 'all', ['Are you there?', 'Hello']],
    ['only of mentions in conversations that are to tell of those alone', 'mentions', ['Hello']],
  ])('somebody who was away for a day gets an e-mail %s', async (_what, notify_of, told) => {
    const { ann, bob } = await mentioned({ text: 'look' });
    const direct = await converse(bob, ann);
    await aMessage(bob, direct, { text: 'Are you there?' });
    await aMessage(bob, direct, { text: `Hello @${ann.username}` });
    await changeMembership({ id: direct, path: `/api/rooms/${direct}`, owner: bob }, ann, { notify_of });
    await send();
    const [{ text = '' } = {}] = mailsOf(ann);
    expect(['Are you there?', 'Hello'].filter((said) => text.includes(`> ${said}`))).toEqual(told);
  });

  it('somebody who was away for a day reads names and texts of others in one line each, and nothing that turns what stands beside it', async () => {
    const { ann, bob, room } = await mentioned({ name: 'Plans\u202e' });
    await aMessage(bob, room.id, { text: `@${ann.username}\nhttps://evil.example\n\u2067x` });
    await send();
    const { text = '', subject } = mailsOf(ann)[0] ?? {};
    expect(subject).toBe('Unread messages in Chat');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(text.split('\n')).not.toContain('https://evil.example');
  });
});

describe('people who get no e-mail', () => {
  it.each<[string, (scene: Awaited<ReturnType<typeof mentioned>>) => Promise<unknown>]>([
    ['of what was read', ({ ann, room, message }) => changeMembership(room, ann, { last_read: message.seq })],
    ['of a muted room', ({ ann, room }) => changeMembership(room, ann, { is_muted: true })],
    [
      'of a room that they have left',
      async ({ ann, room }) => succeed(call('DELETE', `/api/members/${await memberId(room, ann)}`, { token: ann.token })),
    ],
    [
      'of a deleted message',
      ({ bob, message }) => succeed(call('DELETE', `/api/messages/${message._id.$oid}`, { token: bob.token })),
    ],
    [
      'of a mention that was edited away',
      ({ bob, message }) =>
        succeed(call('PATCH', `/api/messages/${message._id.$oid}`, { token: bob.token, body: { text: 'Nothing' } })),
    ],
    [
      'of what the list of notifications has shown',
      ({ ann, message }) =>
        succeed(call('PATCH', '/api/notifications', { token: ann.token, body: { read_until: message.created_at.$date } })),
    ],
    ['who wants none', ({ ann }) => changeMe(ann, { email_digest: false })],
    ['while notifications are paused', ({ ann }) => changeMe(ann, { quiet_until: new Date(Date.now() + hour).toISOString() })],
    [
      'who was there today',
      async ({ ann }) => {
        await aSession(call, ann);
        await useSession(ann, 24 * hour);
      },
    ],
    [
      'who has signed out today',
      async ({ ann }) => {
        const token = await aSession(call, ann);
        await succeed(call('DELETE', '/api/sessions/current', { token }));
        await expect.poll(() => activities.countDocuments({ _id: new ObjectId(ann.id) })).toBe(1);
      },
    ],
    [
      'whose session of today has ended without a sign-out',
      async ({ ann }) => {
        const token = await aSession(call, ann);
        await succeed(call('GET', '/api/users/me', { token }));
        await expect.poll(() => activities.countDocuments({ _id: new ObjectId(ann.id) })).toBe(1);
        await tokens.deleteMany({ user: new ObjectId(ann.id), kind: 'session' });
      },
    ],
    [
      'whose device was told',
      async ({ ann, bob, room, message }) => {
        const token = await aSession(call, ann);
        const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
        await succeed(call('PUT', '/api/push-subscription', { token, body: subscriptionOf(aDevice(), key) }));
        await useSession(ann, 30 * hour);
        await changeMembership(room, ann, { last_read: message.seq });
        await aMessage(bob, room.id, { text: `@${ann.username} again` });
      },
    ],
    [
      'at another address than the one that was confirmed',
      ({ ann }) => users.updateOne({ _id: new ObjectId(ann.id) }, { $set: { email: `new-${ann.email}` } }),
    ],
    ['whose account is not active', ({ ann }) => users.updateOne({ _id: new ObjectId(ann.id) }, { $set: { is_active: false } })],
    [
      'of a message from before they were there last',
      async ({ ann }) => {
        await aSession(call, ann);
        await useSession(ann, 26 * hour);
        const { messages } = await import('../../../lib/collections/rooms/messages.ts');
        await messages.unscoped.updateMany(
          { mentions: new ObjectId(ann.id) },
          { $set: { created_at: new Date(Date.now() - 27 * hour) } },
        );
      },
    ],
  ])('nobody gets an e-mail %s', async (_what, change) => {
    const [scene, control] = [await mentioned(), await mentioned()];
    await change(scene);
    await send();
    expect([mailsOf(scene.ann).length, mailsOf(control.ann).length]).toEqual([0, 1]);
  });

  it('nobody gets an e-mail of a conversation with somebody whom they have blocked', async () => {
    const [ann, bob] = [await anAddressee(), await anAccount()];
    await aMessage(bob, await converse(bob, ann), { text: 'Hello' });
    await succeed(call('POST', '/api/blocks', { token: ann.token, body: { user: bob.id } }));
    await send();
    expect(mailsOf(ann)).toEqual([]);
  });
});

describe('somebody', () => {
  it('somebody is away a day after their last session was used, whichever it was', async () => {
    const { ann } = await mentioned();
    await aSession(call, ann);
    await useSession(ann, 26 * hour);
    await logIn(call, ann.username, ann.password);
    await send();
    expect(mailsOf(ann)).toEqual([]);
    await useSession(ann, 26 * hour);
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
  });

  it('somebody whose device refuses pushes gets an e-mail', async () => {
    const { ann } = await mentioned();
    const { pushSubscriptions } = await import('../../../lib/collections/delivery/push-subscriptions.ts');
    const token = await aSession(call, ann);
    const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
    await succeed(call('PUT', '/api/push-subscription', { token, body: subscriptionOf(aDevice(), key) }));
    const created_at = new Date(Date.now() - 48 * hour);
    await pushSubscriptions.updateOne({ user: new ObjectId(ann.id) }, { $set: { created_at } });
    await useSession(ann, 30 * hour);
    await send();
    expect(mailsOf(ann)).toEqual([]);
    await pushSubscriptions.updateOne({ user: new ObjectId(ann.id) }, { $set: { refused: 2 } });
    await send();
    expect(mailsOf(ann)).toEqual([]);
    await pushSubscriptions.updateOne({ user: new ObjectId(ann.id) }, { $set: { refused: 3 } });
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
  });
});

describe('the link in an e-mail', () => {
  const linkIn = ({ headers }: Digest) =>
    /^<https:\/\/chat\.example\.org(\/api\/email-digest\/([a-z0-9]{32}))>$/.exec(headers['list-unsubscribe'] ?? '') ?? [];

  it('the link in an e-mail ends these e-mails by one click, signed out, and nothing else', async () => {
    const { ann, bob, room } = await mentioned();
    await send();
    const [mail] = mailsOf(ann);
    const [, path = '', secret = ''] = linkIn(mail as Digest);
    expect(mail?.headers).toMatchObject({
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      'auto-submitted': 'auto-generated',
    });
    expect(mail?.text).toContain(`\nhttps://chat.example.org${path}\n`);
    expect(await call('GET', '/api/users/me', { token: secret })).toMatchObject({ status: 401 });
    expect(await call('PUT', '/api/password', { body: { code: secret, password: 'another horse' } })).toMatchObject({
      status: 404,
    });

    const before = await call('GET', '/api/users/me', { token: ann.token });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const clicked = await call('POST', path, { text: 'List-Unsubscribe=One-Click', headers } as never);
    expect(clicked).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    const after = await call('GET', '/api/users/me', { token: ann.token });
    expect(after.body).toEqual({ ...(before.body as object), email_digest: false });
    // Another click changes nothing.
    expect(await call('POST', path, { headers })).toMatchObject({ status: 200 });

    await aMessage(bob, room.id, { text: `@${ann.username} once more` });
    await pass(ann, 25 * hour);
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
    const { body } = await changeMe(ann, { email_digest: true });
    expect(body).not.toHaveProperty('email_digest');
    await send();
    expect(mailsOf(ann)).toHaveLength(2);
    // The links of earlier e-mails work as well.
    expect(await call('POST', path)).toMatchObject({ status: 200 });
    expect((await changeMe(ann, { name: 'Ann' })).body).toMatchObject({ email_digest: false });
  });

  it('opening the link in an e-mail shows a page with a button and changes nothing', async () => {
    const { ann } = await mentioned();
    await send();
    const [, path = ''] = linkIn(mailsOf(ann)[0] as Digest);
    const { status, headers, body } = await call('GET', path, { headers: { accept: 'text/html' } });
    expect([status, headers['cache-control'], headers['referrer-policy']]).toEqual([200, 'no-store', 'no-referrer']);
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    expect(body).toContain('<form method="post">');
    expect((await call('GET', '/api/users/me', { token: ann.token })).body).not.toHaveProperty('email_digest');
  });

  it('the link in an e-mail that no e-mail has, or whose account is deleted, is answered with 404', async () => {
    const { ann } = await mentioned();
    await send();
    const [, path = ''] = linkIn(mailsOf(ann)[0] as Digest);
    await succeed(call('DELETE', '/api/users/me', { token: ann.token, body: { current_password: ann.password } }));
    for (const one of [path, `/api/email-digest/${'a'.repeat(32)}`, '/api/email-digest/x'])
      for (const method of ['GET', 'POST']) expect(await call(method, one)).toMatchObject({ status: 404 });
    expect(await digests.findOne({ _id: new ObjectId(ann.id) })).toBeNull();
  });
});

describe('a mail server', () => {
  it.each([
    ['refuses for now', 'later'],
    ['is out of reach for an e-mail', 'silent at the e-mail'],
  ] as const)('a mail server that %s is asked again in an hour, for the same messages', async (_what, answer) => {
    const { ann } = await mentioned();
    answers = answer;
    await send();
    answers = 'take';
    await send();
    expect(mailsOf(ann)).toEqual([]);
    await pass(ann, hour);
    await send();
    expect(mailsOf(ann)[0]?.text).toContain('look at the plan');
  });

  it('a mail server that does not take an address is asked again only when there is something new', async () => {
    const { ann, bob, room } = await mentioned({ text: 'first' });
    answers = 'refuse';
    await send();
    answers = 'take';
    await pass(ann, 25 * hour);
    await send();
    expect(mailsOf(ann)).toEqual([]);
    await aMessage(bob, room.id, { text: `@${ann.username} second` });
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
  });

  it('a mail server that says nothing is given up on before anybody’s day is taken', async () => {
    const [one, other] = [await mentioned(), await mentioned()];
    answers = 'silent';
    const begun = performance.now();
    await withPatience({ mailServer: 500 }, send);
    expect(performance.now() - begun).toBeLessThan(20_000);
    answers = 'take';
    await send();
    expect([mailsOf(one.ann).length, mailsOf(other.ann).length]).toEqual([1, 1]);
  });

  it('a mail server that says nothing after an e-mail may have it: nobody gets that twice', async () => {
    const { ann } = await mentioned();
    answers = 'silent after the e-mail';
    await send();
    answers = 'take';
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
  });
});

describe('a process', () => {
  it('a process that ends waits for no mail server', async () => {
    const { ann } = await mentioned();
    answers = 'silent after the e-mail';
    // A process that waited for it would exceed the time of this test.
    await withPatience({ mailServer: 600_000 }, async () => {
      const serving = sendDigestsMeanwhile({ wait: 0 });
      await expect.poll(() => mailsOf(ann).length).toBe(1);
      await serving.end();
    });
    answers = 'take';
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
  });

  it('a process that goes on while its lease has run out sends nobody a second e-mail', async () => {
    const { ann } = await mentioned();
    onMail = async () => {
      onMail = async () => undefined;
      await digestRounds.updateOne({ _id: 'round' }, { $set: { leased_until: new Date(0) } });
      await send();
    };
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
  });

  it('a process that died after it took somebody’s day sends them no e-mail of these messages, and one of later ones', async () => {
    const { ann, bob, room } = await mentioned({ text: 'first' });
    const at = new Date();
    await digests.insertOne({ _id: new ObjectId(ann.id), at, until: at });
    await send();
    await pass(ann, 25 * hour);
    await send();
    expect(mailsOf(ann)).toEqual([]);
    await aMessage(bob, room.id, { text: `@${ann.username} second` });
    await send();
    expect(mailsOf(ann).map(({ text }) => [text.includes('first'), text.includes('second')])).toEqual([[false, true]]);
  });

  it('a process that died during a round holds up the next one for two minutes at most', async () => {
    const { ann } = await mentioned();
    const lease = (milliseconds: number) =>
      digestRounds.updateOne({ _id: 'round' }, { $set: { leased_until: new Date(Date.now() + milliseconds) } }, { upsert: true });
    await lease(60_000);
    await send();
    expect(mailsOf(ann)).toEqual([]);
    // A lease from a clock that was ahead.
    await lease(600_000);
    await send();
    expect(mailsOf(ann)).toHaveLength(1);
  });

  it('a process goes over all accounts with a confirmed address, some at a time, by an index that has no others', async () => {
    await send();
    const before = await users.unscoped.countDocuments({ confirmed_email: { $exists: true } });
    const email = () => `${aName()}@example.net`;
    const accounts = Array.from({ length: 250 }, () => ({ _id: new ObjectId(), username: aName(), email: email() }));
    await users.unscoped.insertMany(
      accounts.map((one) => ({
        ...one,
        email_key: one.email,
        confirmed_email: one.email,
        is_admin: false,
        is_active: true,
        session_generation: 0,
        created_at: new Date(),
      })),
    );
    const { ann } = await mentioned();
    expect((await sendDigests({ until: 0 })).accounts).toBe(0);
    const sent = await commandsOf(async () => expect((await send()).accounts).toBe(before + 251));
    expect(mailsOf(ann)).toHaveLength(1);
    const finds = sent.filter(({ name, collection }) => name === 'find' && collection !== 'digest_rounds');
    // The queries of each account are alike.
    const kinds = new Map(finds.map((one) => [`${one.collection} ${Object.keys(one.command.filter)}`, one]));
    const plans = await Promise.all([...kinds.values()].map(planOf));
    expect(plans.flat()).not.toContain('COLLSCAN');
    expect(sent.filter(({ name, collection }) => name === 'find' && collection === 'tokens').length).toBeLessThan(10);
  });

  it('a process tells by e-mail while it serves, and as the function of AWS that a schedule invokes', async () => {
    const { ann } = await mentioned();
    const serving = sendDigestsMeanwhile({ wait: 0 });
    await expect.poll(() => mailsOf(ann).length).toBe(1);
    await serving.end();
    // The round continues where it was.
    await digestRounds.updateOne({ _id: 'round' }, { $unset: { after: '' } });
    const { ann: other } = await mentioned();
    await runSchedule();
    expect(mailsOf(other)).toHaveLength(1);
  });
});
