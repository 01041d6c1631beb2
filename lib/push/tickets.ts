import { dateSchema, showDate } from '../api/extended-json.ts';
import { aToken, described, isToken, record, type Schema, type Shown } from '../api/schema.ts';
import { tickets } from '../collections/delivery/tickets.ts';
import { insertWithTimes } from '../database/writes.ts';
import { findCallersOf, hashToken } from '../identity/authenticate.ts';
import { appRefused, type Caller, refuseApp } from '../identity/caller.ts';
import { randomToken } from '../identity/tokens.ts';
import { config } from '../settings/config.ts';

const anAddress: Schema<string> = { type: 'string', format: 'uri-reference' };

/** A ticket, which opens one connection, and the connection's address. */
export const ticketSchema = record('Ticket', {
  url: described('The address of the WebSocket: a full one, or a path of the service.', anAddress),
  ticket: described('The 32 characters for the subprotocol, valid once.', aToken),
  expires_at: described('The time of expiry.', dateSchema),
});
export type Ticket = Shown<typeof ticketSchema>;

export const ticketRefusals = [appRefused];

/** The lifetime of a ticket. */
const lifetimeMs = 30_000;

/**
 * Creates a ticket, which opens one connection soon on behalf of the caller's token. So the token
 * itself is not sent.
 */
export async function createTicket(caller: Caller): Promise<Ticket> {
  refuseApp(caller);
  const ticket = randomToken();
  const document = { _id: hashToken(ticket), token: caller.token._id };
  const { expires_at } = await insertWithTimes(tickets, document, { expires_at: { $add: ['$$NOW', lifetimeMs] } });
  return { url: config.socketUrl, ticket, expires_at: showDate(expires_at) };
}

/**
 * Uses a ticket up. Undefined when it was used before, has expired or never existed, or when its
 * token has ended.
 */
export async function redeemTicket(ticket: string): Promise<Caller | undefined> {
  if (!isToken(ticket)) return undefined;
  const used = await tickets.findOneAndDelete({ _id: hashToken(ticket) });
  if (!used) return undefined;
  const found = (await findCallersOf([used.token])).get(used.token.toHexString());
  const left = found ? used.expires_at.getTime() - found.now.getTime() : 0;
  return left > 0 && left <= lifetimeMs ? found?.caller : undefined;
}
