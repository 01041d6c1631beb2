import type { ObjectId } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { describeError, log } from '../base/log.ts';
import { activities } from '../collections/accounts/activities.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import { users } from '../collections/accounts/users.ts';
import { type DigestDocument, type DigestRoundDocument, digestRounds, digests } from '../collections/delivery/digests.ts';
import { pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { insertUnlessStored } from '../database/writes.ts';
import { type Held, withLease } from '../feed/lease.ts';
import { hashToken, isSecondFactorRequired } from '../identity/authenticate.ts';
import { type Caller, readerCaller } from '../identity/caller.ts';
import { randomToken } from '../identity/tokens.ts';
import { isMailServerReady, type MailOutcome, trySendingMail } from '../net/mail.ts';
import { config } from '../settings/config.ts';
import { digestMail } from './digest-mail.ts';
import { findDigestNews } from './digest-news.ts';
import { isQuiet } from './pushed-message.ts';

/*
 * Sends e-mail digests of mentions and direct messages to users who were away for a day and do not
 * get push notifications. A round reads all accounts with a confirmed address in chunks, and
 * restarts after the last one.
 *
 * An account's day is claimed before its e-mail is sent. If the process dies in between, these
 * messages are not sent, but an account never gets two e-mails in a day. If the mail server reports
 * that it did not accept the e-mail, the claim is released.
 */

const hour = 3_600_000;
const day = 24 * hour;

/**
 * How long users must be away before they get an e-mail. The use of a session is recorded once an
 * hour.
 */
const away = day + hour;

/** The oldest messages in an e-mail. */
const longest = 7 * day;

/** The lease of a process on the round, in milliseconds; longer than a part of the round takes. */
const leaseMs = 120_000;

/** The number of accounts per read, and the most in a part of the round. */
const chunkSize = 100;
const mostAccounts = 1_000;

/** The number of accounts that are checked concurrently. */
const atOnce = 2;

/** The longest wait for the mail server. */
const mailTimeMs = 20_000;

/** The delay in milliseconds before an e-mail that was not sent is retried. */
const retryAfter = hour;

/** A device does not count after this many consecutive refusals of the push service. */
const mostRefused = 3;

/** The number of an account's last e-mails whose links work. */
const mostLinks = 30;

/** The result of a part of the round. */
export type DigestResult = { accounts: number; sent: number };

/** The end of a part of the round, as a time of `performance.now()`, and a signal to abort it. */
export type DigestLimits = { until: number; signal?: AbortSignal };

/**
 * Continues the round. Does nothing if another process has the lease, or if no mail server is
 * configured.
 */
export async function sendDigests(limits: DigestLimits): Promise<DigestResult> {
  if (config.smtpUrl === '') return { accounts: 0, sent: 0 };
  // DocumentDB refuses to look for a lease in a collection that does not exist.
  if (!(await digestRounds.findOne({ _id: 'round' }, { projection: { _id: 1 } })))
    await insertUnlessStored(digestRounds, firstRound);
  const create = () => firstRound;
  const done = await withLease(digestRounds, { _id: 'round' }, { leaseMs, create }, (round) => continueRound(round, limits));
  return done ?? { accounts: 0, sent: 0 };
}

const firstRound = { _id: 'round' as const, leased_until: new Date(0) };

async function continueRound(
  { document, update }: Held<DigestRoundDocument>,
  { until, signal }: DigestLimits,
): Promise<DigestResult> {
  const state: DigestRound = { isStopped: false, isReady: undefined, sent: 0, signal };
  const isOver = () => state.isStopped || signal?.aborted === true || performance.now() >= until;
  let { after } = document;
  let accounts = 0;
  try {
    while (accounts < mostAccounts && !isOver()) {
      const chunk = await readChunk(after);
      const candidates = await findCandidates(chunk);
      await concurrently(candidates, atOnce, async (candidate) => {
        if (!isOver()) await tryTelling(candidate, state);
      });
      // The next part of the round checks the remaining accounts.
      if (isOver()) break;
      accounts += chunk.length;
      const last = chunk.at(-1);
      after = chunk.length < chunkSize || !last ? undefined : { email: last.confirmed_email, user: last._id };
      if (!after) break;
    }
  } finally {
    const place = after
      ? { $set: { after, leased_until: new Date() } }
      : { $set: { leased_until: new Date() }, $unset: { after: '' as const } };
    await update(place);
  }
  return { accounts, sent: state.sent };
}

type Account = { _id: ObjectId; email?: string; confirmed_email: string; is_active: boolean; email_digest?: false };

/** The next accounts with a confirmed address, by an index that contains only these accounts. */
function readChunk(after: { email: string; user: ObjectId } | undefined): Promise<Account[]> {
  const filter = {
    confirmed_email: { $exists: true as const, ...(after && { $gte: after.email }) },
    ...(after && { $or: [{ confirmed_email: { $gt: after.email } }, { _id: { $gt: after.user } }] }),
  };
  const projection = { email: 1, confirmed_email: 1, is_active: 1, email_digest: 1 };
  return users
    .find<Account>(filter, { projection, sort: { confirmed_email: 1, _id: 1 }, limit: chunkSize, batchSize: chunkSize + 1 })
    .toArray();
}

/** A user who may get an e-mail with messages of a period. */
type Candidate = { _id: ObjectId; since: Date; before: Date | undefined; known: DigestDocument | undefined };

/**
 * The accounts that were away for a day, did not get an e-mail for a day, and do not get push
 * notifications.
 */
async function findCandidates(chunk: Account[]): Promise<Candidate[]> {
  const wanted = chunk.filter(
    ({ is_active, email, confirmed_email, email_digest }) => is_active && email === confirmed_email && email_digest !== false,
  );
  if (wanted.length === 0) return [];
  const ids = wanted.map(({ _id }) => _id);
  const [known, activity, sessions, devices] = await Promise.all([
    digests.find({ _id: { $in: ids } }).toArray(),
    // Includes sessions that have ended since by a sign-out, their age, a new password, or the
    // identity provider.
    activities.find({ _id: { $in: ids } }).toArray(),
    tokens
      .find<{ user: ObjectId; created_at: Date; last_used_at: Date | null }>(
        { user: { $in: ids }, kind: 'session' },
        { projection: { user: 1, created_at: 1, last_used_at: 1 } },
      )
      .toArray(),
    // A device whose pushes are refused repeatedly does not count.
    pushSubscriptions
      .find<{ user: ObjectId; created_at: Date }>(
        { user: { $in: ids }, refused: { $lt: mostRefused } },
        { projection: { user: 1, created_at: 1 } },
      )
      .toArray(),
  ]);
  const now = Date.now();
  return ids.flatMap((_id): Candidate[] => {
    const mine = <T extends { user: ObjectId }>(all: T[]) => all.filter(({ user }) => user.equals(_id));
    const own = known.find((one) => one._id.equals(_id));
    const seen = activity.find((one) => one._id.equals(_id));
    // Ignore times from a clock that was ahead, so that they do not block e-mails.
    const times = [seen?.at, ...mine(sessions).map(({ created_at, last_used_at }) => last_used_at ?? created_at)]
      .map((time) => time?.getTime() ?? 0)
      .filter((time) => time <= now + hour);
    const lastUse = Math.max(0, ...times);
    const claimed = own?.at?.getTime() ?? 0;
    if (now - lastUse < away || (claimed <= now + hour && now - claimed < day)) return [];
    const since = new Date(Math.max(now - longest, lastUse, Math.min(now, own?.until?.getTime() ?? 0)));
    const subscribed = mine(devices).map(({ created_at }) => created_at.getTime());
    const before = subscribed.length > 0 ? new Date(Math.min(...subscribed)) : undefined;
    return before && before <= since ? [] : [{ _id, since, before, known: own }];
  });
}

/**
 * The state of the mail server. It is checked before the first e-mail, and not used again after an
 * e-mail with an unknown outcome.
 */
type DigestRound = { isStopped: boolean; isReady: Promise<boolean> | undefined; sent: number; signal: AbortSignal | undefined };

/** Sends a digest to somebody. A failure does not affect other accounts. */
async function tryTelling(candidate: Candidate, state: DigestRound): Promise<void> {
  try {
    await sendDigest(candidate, state);
  } catch (error) {
    log('error', 'an account was not told by e-mail', { user: candidate._id.toHexString(), error: describeError(error) });
  }
}

/** Sends an e-mail if the account has unread messages. */
async function sendDigest({ _id, since, before, known }: Candidate, state: DigestRound): Promise<void> {
  const caller = await findReader(_id);
  if (!caller) return;
  // Before the search: messages that arrive during it go into the next e-mail.
  const until = new Date();
  const news = await findDigestNews(since, before, caller);
  if (news.messages.length === 0) return;
  state.isReady ??= inTime(isMailServerReady(), false, state.signal);
  if (!(await state.isReady)) {
    state.isStopped = true;
    return;
  }
  const link = randomToken();
  const links = [...(known?.links ?? []).slice(1 - mostLinks), hashToken(link)];
  const at = new Date();
  if (!(await claim(_id, known, { at, until, links }))) return;
  const mail = digestMail(caller.user.email as string, news, link);
  const outcome = await inTime<MailOutcome>(trySendingMail(mail), 'unknown', state.signal);
  if (outcome === 'sent') state.sent++;
  if (outcome === 'unknown' || outcome === 'out of reach') state.isStopped = true;
  // The server does not have the e-mail. An e-mail with these messages is sent in an hour.
  if (outcome === 'not sent' || outcome === 'out of reach')
    await digests.updateOne(
      { _id, at },
      // The links of earlier e-mails keep working, however often another e-mail is refused.
      { $set: { at: new Date(at.getTime() - day + retryAfter), until: since, links: known?.links ?? [] } },
    );
}

/** The user as a caller, if they want e-mails and may read their contents; otherwise undefined. */
async function findReader(_id: ObjectId): Promise<Caller | undefined> {
  const user = await users.findOne({ _id, is_active: true, email_digest: { $exists: false } });
  if (!user?.email || user.email !== user.confirmed_email) return undefined;
  // Such an account cannot read anything before it sets up a second factor.
  if (isSecondFactorRequired(user) && !user.second_factor) return undefined;
  const caller = readerCaller(user);
  return isQuiet(caller) ? undefined : caller;
}

/** Claims an account's day. Of several concurrent processes, only one succeeds. */
async function claim(
  _id: ObjectId,
  known: DigestDocument | undefined,
  taken: Required<Pick<DigestDocument, 'at' | 'until' | 'links'>>,
): Promise<boolean> {
  if (known) {
    const unchanged = { _id, at: known.at ?? { $exists: false } };
    return (await digests.updateOne(unchanged, { $set: taken })).matchedCount > 0;
  }
  return insertUnlessStored(digests, { _id, ...taken });
}

/** The result of `work`, or `late` if it takes too long or the process ends. */
async function inTime<T>(work: Promise<T>, late: T, signal: AbortSignal | undefined): Promise<T> {
  const isOver = AbortSignal.any([AbortSignal.timeout(mailTimeMs), ...(signal ? [signal] : [])]);
  const waiting = new Promise<T>((resolve) => {
    if (isOver.aborted) resolve(late);
    isOver.addEventListener('abort', () => resolve(late), { once: true });
  });
  return Promise.race([work, waiting]);
}
