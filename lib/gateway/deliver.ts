import { ObjectId } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { findCallersOf } from '../identity/authenticate.ts';
import type { Caller } from '../identity/caller.ts';
import { carrier, type PostOutcome } from '../notices/carrier.ts';
import type { Notice } from '../notices/notices.ts';
import { type EncodedFrame, encode, encodeSignal, framesOf } from '../push/encode.ts';
import { type ServerFrame, socketLimits } from '../push/frames.ts';
import { type Dispatch, frameOfLeaving, framesFor } from '../push/frames-for.ts';
import { type Audience, readAudience, readConversations, readEpoch, readNews } from '../push/news.ts';
import { endConnection, findRecipients, type Recipient, removeConnection } from './connections.ts';

/*
 * Sends frames to clients that are connected to a gateway. A function does not know which frames
 * others have sent, and may run twice, late or out of order. So each frame of a room says which
 * `seq` it follows, and clients put frames in order.
 */

/** The number of frames by outcome. */
export type Delivery = Record<PostOutcome, number>;

/**
 * How many connections get frames concurrently. The gateway's rate limit is shared by all requests.
 */
const atOnce = 64;

/** Sends the frames of notices, one notice after the other. */
export async function deliver(notices: Notice[]): Promise<Delivery> {
  const delivery: Delivery = { sent: 0, gone: 0, dropped: 0 };
  for (const notice of notices) await tell(framesFor(notice), delivery);
  return delivery;
}

async function tell(notice: Dispatch, delivery: Delivery): Promise<void> {
  switch (notice.to) {
    case 'members':
      return sendNews(notice, delivery);
    case 'user':
      return sendTo([notice.user], [encode(notice.frame)], delivery);
    case 'room':
    case 'readers':
      return sendToRoom(notice, delivery);
    case 'former members':
      return sendTo(notice.users, [encodeLeft(notice.room)], delivery);
    case 'conversations':
      return sendConversations(notice, delivery);
    case 'sessions': {
      const of = 'user' in notice ? { users: idsOf([notice.user]) } : { token: new ObjectId(notice.token) };
      return send(await findRecipients(of), async () => [], delivery);
    }
  }
}

async function sendConversations({ user, whom }: Dispatch & { to: 'conversations' }, delivery: Delivery): Promise<void> {
  const choose = async (_: Recipient, caller: Caller) => {
    const epoch = await readEpoch();
    const found = await readConversations(user, whom, caller);
    return found.map(({ room, seq, isHidden }) => (isHidden ? encodeLeft(room) : encodeSignal(room, epoch, seq)));
  };
  await send(await findRecipients({ users: idsOf([user]) }), choose, delivery);
}

async function sendNews({ room, seq, left }: Dispatch & { to: 'members' }, delivery: Delivery): Promise<void> {
  const { members, isHiddenFrom, frames, signal } = await readRoom(room, seq);
  const recipients = await findRecipients({ users: idsOf([...members]) });
  const choose = async ({ wants_events }: Recipient, caller: Caller) =>
    isHiddenFrom(caller) ? [] : frames && wants_events ? frames : [signal];
  await send(recipients, choose, delivery);
  await sendTo(
    left.filter((user) => !members.has(user)),
    [encodeLeft(room)],
    delivery,
  );
}

type RoomNews = Audience & { frames?: EncodedFrame[]; signal: EncodedFrame };

/** The news of a room from a `seq` on. Without events if they have expired or do not exist. */
async function readRoom(room: string, seq: number): Promise<RoomNews> {
  if (seq > 0) {
    const news = await readNews(room, seq - 1);
    if (news.kind === 'events' && news.next >= seq)
      return { ...news, frames: framesOf(room, seq - 1, news), signal: encodeSignal(room, news.epoch, news.next) };
  }
  const epoch = await readEpoch();
  return { ...(await readAudience(room)), signal: encodeSignal(room, epoch, seq) };
}

/** Sends a frame to the members of a room, except `user`. */
async function sendToRoom(
  { room, user, frame }: { room: string; user?: string; frame: ServerFrame },
  delivery: Delivery,
): Promise<void> {
  const { members, isHiddenFrom } = await readAudience(room);
  const recipients = await findRecipients({ users: idsOf([...members]) });
  if (new Set(recipients.map((one) => one.user.toHexString())).size > socketLimits.typing) return;
  const others = recipients.filter((one) => one.user.toHexString() !== user);
  const encoded = encode(frame);
  await send(others, async (_, caller) => (isHiddenFrom(caller) ? [] : [encoded]), delivery);
}

const sendTo = async (users: string[], frames: EncodedFrame[], delivery: Delivery): Promise<void> =>
  users.length === 0 ? undefined : send(await findRecipients({ users: idsOf(users) }), async () => frames, delivery);

/** Sends each connection its frames in order. Ends connections whose token has ended. */
async function send(
  recipients: Recipient[],
  choose: (to: Recipient, caller: Caller) => Promise<EncodedFrame[]>,
  delivery: Delivery,
): Promise<void> {
  if (recipients.length === 0) return;
  const callers = await findCallersOf(recipients.map(({ token }) => token));
  await concurrently(recipients, atOnce, async (recipient) => {
    const caller = callers.get(recipient.token.toHexString())?.caller;
    if (!caller) await endConnection(recipient._id, 'ended');
    else await post(recipient, await choose(recipient, caller), delivery);
  });
}

async function post({ _id }: Recipient, frames: EncodedFrame[], delivery: Delivery): Promise<void> {
  for (const frame of frames) {
    const posted = (await carrier?.post(_id, frame)) ?? 'dropped';
    delivery[posted]++;
    if (posted === 'gone') return removeConnection(_id);
    // The next frames follow this one, so they are useless without it.
    if (posted === 'dropped') return;
  }
}

const encodeLeft = (room: string) => encode(frameOfLeaving(room));

const idsOf = (users: string[]) => users.map((user) => new ObjectId(user));
