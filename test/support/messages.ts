import type { Message } from '../../lib/messages/messages.ts';
import type { Account } from './accounts.ts';
import { type Call, inProcess } from './transports.ts';

/** Sends a message and returns it. Throws the response if it is an error. */
export async function aMessage(
  { token }: Pick<Account, 'token'>,
  room: string,
  fields: { text?: string; files?: string[]; thread?: string; is_in_room?: boolean; key?: string } = {},
  call: Call = inProcess,
): Promise<Message> {
  const { key, ...body } = { text: 'Hello', ...fields };
  const reply = await call('POST', '/api/messages', {
    token,
    body: { room, ...body },
    headers: key ? { 'idempotency-key': key } : {},
  });
  if (reply.status !== 201) throw new Error(`A message was refused: ${JSON.stringify(reply)}`);
  return reply.body as Message;
}
