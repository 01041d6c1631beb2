import { ObjectId } from 'mongodb';
import { createToken } from '../../lib/identity/api-tokens.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { type Account, anAccount } from './accounts.ts';
import { aBot } from './bots.ts';
import { addMember, aRoom, succeed, type TestRoom } from './rooms.ts';
import { type Call, inProcess, type Reply } from './transports.ts';

/** Two buttons, as most tests need them. */
export const yesOrNo = [
  { id: 'yes', label: 'Approve', style: 'primary' },
  { id: 'no', label: 'Refuse', style: 'danger' },
];

/** A room with a bot that asks, and two people besides the owner. */
export async function aRoomWithBot() {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const room = await aRoom({ members: [ann, bob] });
  const bot = await aBot(room.owner, { name: 'Deploys' });
  await addMember(room, bot);
  return { room, owner: room.owner, ann, bob, bot };
}

/** A message with actions. */
export async function aQuestion(
  by: { token: string },
  room: Pick<TestRoom, 'id'>,
  fields: object = {},
  call: Call = inProcess,
): Promise<Message> {
  const body = { room: room.id, text: 'Deploy?', actions: yesOrNo, ...fields };
  return (await succeed(call('POST', '/api/messages', { token: by.token, body }))).body as Message;
}

/** Presses an action of a message. */
export const press = (
  { token }: Pick<Account, 'token'>,
  message: Pick<Message, '_id'>,
  action = 'yes',
  body: object = {},
  call: Call = inProcess,
): Promise<Reply> => call('PUT', `/api/messages/${message._id.$oid}/actions/${action}`, { token, body });

/** The token of an agent for a user. */
export const agentOf = async ({ id }: Account): Promise<{ token: string }> => {
  const { token } = await createToken(new ObjectId(id), 'Helper', { isAgent: true });
  return { token };
};
