import { database } from '../../lib/database/client.ts';
import { anAccount, anAdmin } from './accounts.ts';
import { inProcess } from './transports.ts';

/**
 * Empties the database and fills it with a small dataset. Returns tokens to call with, and the ids
 * of the documents.
 */
export async function aFixture() {
  const collections = await database.listCollections({}, { nameOnly: true }).toArray();
  await Promise.all(collections.map(({ name }) => database.collection(name).deleteMany({})));
  const [admin, user] = await Promise.all([anAdmin(), anAccount()]);
  const create = async (who: { token: string }, path: string, body: object): Promise<string> => {
    const reply = await inProcess('POST', path, { token: who.token, body });
    return (reply.body as { _id: { $oid: string } })._id.$oid;
  };

  const room = await create(admin, '/api/rooms', { name: 'General' });
  const other = await create(admin, '/api/rooms', { name: 'Elsewhere' });
  const member = await create(user, '/api/members', { room });
  const messages = [];
  for (const who of [user, admin, user])
    messages.push(await create(who, '/api/messages', { room, text: `Hello @${user.username}` }));
  const named = await create(user, '/api/tokens', { name: 'bot', current_password: user.password });
  return {
    tokens: { admin: admin.token, user: user.token, nobody: undefined, stranger: 'a'.repeat(32) },
    ids: [room, room, other, member, ...messages, named, admin.id, user.id, '0'.repeat(24)],
  };
}
