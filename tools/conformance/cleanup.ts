import type { Call, Reply } from '../harness/transports.ts';

type Id = { $oid: string };

/**
 * Deletes every room and account whose name begins with `name`, and all rooms of these accounts.
 * That includes data whose creation was not confirmed, because the response was lost. Throws if
 * something remains.
 */
export async function deleteAllNamed(name: string, call: Call, admin: string): Promise<void> {
  const users = await everything<{ _id: Id; username: string }>(`/api/users?q=${encodeURIComponent(name)}`, call, admin);
  const ours = new Set(users.filter(({ username }) => username.startsWith(name)).map(({ _id }) => _id.$oid));
  const rooms = await everything<{ _id: Id; name: string; members: Id[] }>('/api/rooms', call, admin);
  const left = [
    // Delete rooms first: a user may be the last owner of one.
    ...rooms
      .filter((room) => room.name.startsWith(name) || room.members.some(({ $oid }) => ours.has($oid)))
      .map(addressOf('rooms')),
    ...[...ours].map(($oid) => addressOf('users')({ _id: { $oid } })),
  ];
  for (const path of left) {
    await call('DELETE', path, { token: admin });
    const { status } = await call('GET', path, { token: admin });
    if (status !== 404) throw new Error(`${path} still exists`);
  }
}

const addressOf =
  (collection: string) =>
  ({ _id }: { _id: Id }) =>
    `/api/${collection}/${_id.$oid}`;

/**
 * All items of a list, page by page: the whole list of a large service would exceed one response.
 */
async function everything<Item>(path: string, call: Call, token: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=200`; next !== undefined; ) {
    const reply: Reply = await call('GET', next, { token });
    if (reply.status !== 200 || !Array.isArray(reply.body)) throw new Error(`GET ${next} answered ${reply.status}`);
    items.push(...reply.body);
    next = /<([^>]+)>; rel="next"/.exec(reply.headers.link ?? '')?.[1];
  }
  return items;
}
