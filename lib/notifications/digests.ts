import type { ObjectId } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { takeLease } from '../base/lease.ts';
import { describeError, log } from '../base/log.ts';
import { activities } from '../collections/accounts/activities.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import { users } from '../collections/accounts/users.ts';
import { type DigestDocument, digestRounds, digests } from '../collections/delivery/digests.ts';
import { pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { hashToken, isSecondFactorRequired } from '../identity/authenticate.ts';
import { type Caller, readerCaller } from '../identity/caller.ts';
import { randomToken } from '../identity/tokens.ts';
import { isMailServerReady, type MailOutcome, trySendingMail } from '../net/mail.ts';
import { config } from '../settings/config.ts';
import { digestMail } from './digest-mail.ts';
import { findDigestNews } from './digest-news.ts';
import { isQuiet } from './pushed-message.ts';

/*
 * Tells by e-mail of mentions and direct messages, those who were away for a day and whom no device tells. A round goes
 * over the accounts with a confirmed address, some at a time, and begins again after the last one.
 *
 * The day is claimed before the e-mail is sent: a process that dies in between leaves these messages untold, and an
 * account never gets two e-mails in a day. Where the mail server says that it does not have the e-mail, the claim is
 * given back.
 */

const hour = 3_600_000;
const day = 24 * hour;

/** How long somebody is away before an e-mail is sent. The use of a session is noted once an hour. */
const away = day + hour;

/** How old a message may be of which an e-mail tells. */
const longest = 7 * day;

/** For how many milliseconds one process goes on with the round before another may: longer than it takes. */
const lease = 120_000;

/** How many accounts are read at a time, and how many there are in a part of the round. */
const chunkSize = 100;
const mostAccounts = 1_000;

/** How many accounts are looked at concurrently. */
const atOnce = 2;

/** For how many milliseconds one waits for the mail server. */
const mailTime = 20_000;

/** After how many milliseconds an e-mail that was not sent is tried again. */
const retryAfter = hour;

/** A device of which so many pushes were refused, one after the other, is no longer counted on. */
const mostRefused = 3;

/** The links of how many e-mails work. */
const mostLinks = 30;

/** What a part of the round did. */
export type DigestResult = { accounts: number; sent: number };

/** When a part of the round ends, on the clock of `performance.now()`, or what ends it. */
export type DigestLimits = { until: number; signal?: AbortSignal };

/** Goes on with the round; does nothing while another process does, or where the service sends no e-mail. */
export async function sendDigests({ until, signal }: DigestLimits): Promise<DigestResult> {
  const result: DigestResult = { accounts: 0, sent: 0 };
  if (config.smtpUrl === '') return result;
  const round = await takeRound();
  if (!round) return result;
  const state: Sending = { isStopped: false, isReady: undefined, sent: 0, signal };
  const isOver = () => state.isStopped || signal?.aborted === true || performance.now() >= until;
  let after = round.after;
  try {
    while (result.accounts < mostAccounts && !isOver()) {
      const chunk = await readChunk(after);
      const candidates = await findCandidates(chunk);
      await concurrently(candidates, atOnce, async (candidate) => {
        if (!isOver()) await tryTelling(candidate, state);
      });
      // Those who were not looked at are in the next part.
      if (isOver()) break;
      result.accounts += chunk.length;
      const last = chunk.at(-1);
      after = chunk.length < chunkSize || !last ? undefined : { email: last.confirmed_email, user: last._id };
      if (!after) break;
    }
  } finally {
    const place = after
      ? { $set: { after, leased_until: new Date() } }
      : { $set: { leased_until: new Date() }, $unset: { after: '' as const } };
    await digestRounds.updateOne({ _id: 'round', holder: round.holder }, place);
  }
  return { ...result, sent: state.sent };
}

async function takeRound() {
  if (!(await digestRounds.findOne({ _id: 'round' }, { projection: { _id: 1 } }))) await beginRounds();
  return takeLease(digestRounds, { _id: 'round' }, lease);
}

/** Before the first round: where there is no collection, the database refuses to look for a lease. */
async function beginRounds(): Promise<void> {
  try {
    await digestRounds.insertOne({ _id: 'round', leased_until: new Date(0) });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

type Account = { _id: ObjectId; email?: string; confirmed_email: string; is_active: boolean; email_digest?: false };

/** The next accounts with a confirmed address, by an index that has no others. */
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

/** Somebody who may get an e-mail, of messages since a time and before another. */
type Candidate = { _id: ObjectId; since: Date; before: Date | undefined; known: DigestDocument | undefined };

/** Those of some accounts who were away for a day, have got no e-mail for a day, and whom no device tells. */
async function findCandidates(chunk: Account[]): Promise<Candidate[]> {
  const wanted = chunk.filter(
    ({ is_active, email, confirmed_email, email_digest }) => is_active && email === confirmed_email && email_digest !== false,
  );
  if (wanted.length === 0) return [];
  const ids = wanted.map(({ _id }) => _id);
  const [known, activity, sessions, devices] = await Promise.all([
    digests.find({ _id: { $in: ids } }).toArray(),
    // Also of sessions that have ended since: by a sign-out, by their age, by a new password, or at the identity provider.
    activities.find({ _id: { $in: ids } }).toArray(),
    tokens
      .find<{ user: ObjectId; created_at: Date; last_used_at: Date | null }>(
        { user: { $in: ids }, kind: 'session' },
        { projection: { user: 1, created_at: 1, last_used_at: 1 } },
      )
      .toArray(),
    // A device whose pushes are refused again and again tells nothing.
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
    // What a clock has noted that was ahead holds nobody up.
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

/** How the mail server is: asked before the first e-mail, and no longer after one of which nobody knows what became. */
type Sending = { isStopped: boolean; isReady: Promise<boolean> | undefined; sent: number; signal: AbortSignal | undefined };

/** Tells somebody; what fails for one holds up nobody else. */
async function tryTelling(candidate: Candidate, state: Sending): Promise<void> {
  try {
    await tell(candidate, state);
  } catch (error) {
    log('error', 'an account was not told by e-mail', { user: candidate._id.toHexString(), error: describeError(error) });
  }
}

/** Sends an e-mail to somebody who has unread messages. */
async function tell({ _id, since, before, known }: Candidate, state: Sending): Promise<void> {
  const caller = await findReader(_id);
  if (!caller) return;
  // Before one looks: what comes meanwhile is in the next e-mail.
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
  // The server does not have it: another one is sent in an hour, of the same messages.
  if (outcome === 'not sent' || outcome === 'out of reach')
    await digests.updateOne(
      { _id, at },
      // The links of e-mails that were sent go on to work, however often another one is refused.
      { $set: { at: new Date(at.getTime() - day + retryAfter), until: since, links: known?.links ?? [] } },
    );
}

/** The user as a caller who may read what is told, and wants to; undefined for others. */
async function findReader(_id: ObjectId): Promise<Caller | undefined> {
  const user = await users.findOne({ _id, is_active: true, email_digest: { $exists: false } });
  if (!user?.email || user.email !== user.confirmed_email) return undefined;
  // Such an account may read nothing before it has a second factor.
  if (isSecondFactorRequired(user) && !user.second_factor) return undefined;
  const caller = readerCaller(user);
  return isQuiet(caller) ? undefined : caller;
}

/** Takes an account's day: of several processes at the same time, one does. */
async function claim(
  _id: ObjectId,
  known: DigestDocument | undefined,
  taken: Required<Pick<DigestDocument, 'at' | 'until' | 'links'>>,
): Promise<boolean> {
  if (known) {
    const unchanged = { _id, at: known.at ?? { $exists: false } };
    return (await digests.updateOne(unchanged, { $set: taken })).matchedCount > 0;
  }
  try {
    await digests.insertOne({ _id, ...taken });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** The result of some work, or another one where it takes too long, or the process ends. */
async function inTime<T>(work: Promise<T>, late: T, signal: AbortSignal | undefined): Promise<T> {
  const isOver = AbortSignal.any([AbortSignal.timeout(mailTime), ...(signal ? [signal] : [])]);
  const waiting = new Promise<T>((resolve) => {
    if (isOver.aborted) resolve(late);
    isOver.addEventListener('abort', () => resolve(late), { once: true });
  });
  return Promise.race([work, waiting]);
}
