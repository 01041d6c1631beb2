import { limits } from '../api/limits.ts';
import type { ConnectionDocument } from '../collections/delivery/connections.ts';
import { findCallersOf } from '../identity/authenticate.ts';
import type { Caller } from '../identity/caller.ts';
import { type ServerFrame, socketLimits } from '../push/frames.ts';
import { isMember, readEpoch, readMoved } from '../push/news.ts';
import { findOpener } from '../push/open.ts';
import { type Session, answerFrame as talk } from '../push/talk.ts';
import { addConnection, endConnection, greetConnection, hearConnection, mayType } from './connections.ts';

/*
 * The life of a connection to a gateway, as functions see it: each frame is a separate request, and
 * the state is in the database.
 */

/** In seconds: the interval of pings, and the longest connection that API Gateway allows. */
const pingEvery = 240;
const lifetime = 7_200;

/**
 * Accepts a connection by the headers of its handshake, or throws the reason for the refusal. The
 * gateway can send frames only afterwards.
 */
export async function openConnection(id: string, headers: Record<string, string | undefined>): Promise<Caller> {
  const caller = await findOpener(headers);
  await addConnection(id, caller);
  return caller;
}

/**
 * Handles a frame of a client and returns the answer, if there is one. Throws if the frame is
 * invalid.
 */
export async function answerFrame(id: string, text: string): Promise<ServerFrame | undefined> {
  const connection = await hearConnection(id);
  // The connection was ended or has expired: its client reconnects.
  if (!connection) return end(id, 'unknown');
  if (connection.is_excess) return refuseExcess(connection);
  if (Buffer.byteLength(text) > socketLimits.frame) return end(id, 'large');
  return talk(text, sessionOf(connection));
}

const sessionOf = (connection: ConnectionDocument): Session => {
  const { _id, token } = connection;
  const findCaller = async () => (await findCallersOf([token])).get(token.toHexString())?.caller ?? end(_id, 'ended');
  return {
    // Recorded before the answer, so that data that the client reads after the answer is never
    // older than a pushed frame.
    greet: async (wantsEvents) => {
      if (!(await greetConnection(_id, wantsEvents))) return end(_id, 'unknown');
      return { connection: _id, ping: pingEvery, lifetime, now: tellTime(connection), epoch: await readEpoch() };
    },
    findMoved: async (since, most) => {
      const caller = await findCaller();
      if (!caller) return undefined;
      const epoch = await readEpoch();
      return { now: tellTime(connection), epoch, moved: since ? [...(await readMoved(caller, since, most))] : [] };
    },
    findTypist: async (room) => {
      const caller = await findCaller();
      const isShown = caller && connection.is_greeted && (await isMember(caller, room)) && (await mayType(connection, room));
      return isShown ? { user: caller.user._id.toHexString(), username: caller.user.username } : undefined;
    },
  };
};

async function end(id: string, reason: Parameters<typeof endConnection>[1]): Promise<undefined> {
  await endConnection(id, reason);
  return undefined;
}

async function refuseExcess({ _id, excess }: ConnectionDocument): Promise<ServerFrame | undefined> {
  if (excess < 3) return { type: 'error', status: 429, message: 'Too many frames.' };
  return excess === 3 ? end(_id, 'flood') : undefined;
}

// Subtracts the time of a request: a change has the time at which its update began, and may become
// visible that much later.
const tellTime = ({ heard_at }: ConnectionDocument) => ({
  $date: new Date(heard_at.getTime() - limits.requestTime).toISOString(),
});
