import { HttpError, unauthenticated } from '../base/errors.ts';
import { headerToken } from '../http/session-cookie.ts';
import { findCaller } from '../identity/authenticate.ts';
import { type Caller, requireScope, secondFactorSetupRequired } from '../identity/caller.ts';
import { protocol, socketLimits, ticketPrefix } from './frames.ts';
import { redeemTicket } from './tickets.ts';

/**
 * Finds the caller who opens a connection by the headers of its handshake: a ticket, or a token in
 * `X-Auth-Token` or `Authorization`. A cookie does not count, because browsers would send it for
 * every page. Throws 400 without the subprotocol, 401 without a valid ticket or token, and 403
 * without the scope.
 */
export async function findOpener(headers: Record<string, string | undefined>): Promise<Caller> {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (!offered.includes(protocol)) throw noSuchProtocol();
  const ticket = offered.find((name) => name.startsWith(ticketPrefix))?.slice(ticketPrefix.length);
  const caller = await (ticket === undefined ? findCaller(headerToken(headers)) : redeemTicket(ticket));
  if (!caller) throw unauthenticated();
  if (caller.mustSetUpSecondFactor) throw secondFactorSetupRequired();
  requireScope(caller, 'messages:read');
  return caller;
}

const noSuchProtocol = () =>
  new HttpError(400, {
    title: 'Bad request',
    description: `The subprotocols must include '${protocol}'.`,
    code: 'subprotocol_required',
  });

/** 429: the new connection is rejected, and the existing ones remain. */
export const tooManyConnections = () =>
  new HttpError(429, {
    title: 'Too many requests',
    description: `The user has ${socketLimits.perUser} connections already: close one of them.`,
    code: 'too_many_connections',
  });
