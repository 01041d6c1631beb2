import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { createTicket, ticketRefusals, ticketSchema } from '../lib/push/tickets.ts';

/** `/api/tickets`: one-time tickets that open a connection for live events. */
export const handler = endpoint({
  POST: operation({
    summary: 'Get a ticket and the address for one WebSocket; the ticket is valid for 30 seconds',
    access: 'user',
    scope: 'messages:read',
    body: {},
    status: 201,
    answer: ticketSchema,
    refusals: ticketRefusals,
    run: ({ caller }) => createTicket(caller),
  }),
});
