import { ObjectId } from 'mongodb';
import type { Message } from '../../lib/messages/messages.ts';
import { type Role, type RoomDocument, rooms } from '../../lib/rooms/rooms.ts';
import type { Account } from './accounts.ts';
import { type Call, inProcess, type Reply } from './transports.ts';

/** What an answer is compared by. */
export const short = ({ status, body }: Reply) => ({ status, body });

/** A room made for one test, whose first member owns it unless told otherwise. */
export async function aRoomOf(members: (Account | [Account, Role])[], fields: Partial<RoomDocument> = {}): Promise<string> {
  const created_at = new Date();
  const roled = members.map((member, index) =>
    Array.isArray(member) ? member : ([member, index === 0 ? 'owner' : 'member'] as const),
  );
  const { insertedId } = await rooms.insertOne({
    name: 'Test',
    is_open: true,
    is_visible: true,
    members: roled.map(([{ id }, role]) => ({ _id: new ObjectId(), user: new ObjectId(id), role, joined_at: created_at })),
    banned: [],
    seq: 0,
    message_count: 0,
    topic: '',
    created_at,
    created_by: new ObjectId(roled[0]?.[0].id),
    archived_at: null,
    last_message_at: null,
    ...fields,
  } as Omit<RoomDocument, '_id'>);
  return insertedId.toHexString();
}

/** Sends a message and returns it; fails with what came instead. */
export async function aMessage(
  { token }: Account,
  room: string,
  fields: { text?: string; thread?: string; key?: string } = {},
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
