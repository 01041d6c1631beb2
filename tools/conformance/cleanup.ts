import type { Call, Reply } from '../harness/transports.ts';

/** A call that remembers which rooms and users were created through it and still exist, so that they can be deleted. */
export function tracing(call: Call, admin: string) {
  const left = new Set<string>();

  const traced: Call = async (method, path, sent) => {
    const reply = await call(method, path, sent);
    const created = reply.status === 201 && createdBy(method, path, reply);
    if (created) left.add(created);
    if (method === 'DELETE' && reply.status === 204) left.delete(path);
    return reply;
  };

  /** Deletes what is left; throws if something still exists afterwards. */
  const clean = async () => {
    // Rooms first: a user may be the last owner of one.
    for (const path of [...left].sort()) await call('DELETE', path, { token: admin });
    for (const path of left) {
      const { status } = await call('GET', path, { token: admin });
      if (status !== 404) throw new Error(`${path} still exists`);
    }
  };

  return { call: traced, clean };
}

function createdBy(method: string, path: string, { body }: Reply): string | undefined {
  if (method !== 'POST') return undefined;
  if (path === '/api/rooms' || path === '/api/conversations') return `/api/rooms/${(body as { _id: { $oid: string } })._id.$oid}`;
  if (path === '/api/users') return `/api/users/${(body as { user: { _id: { $oid: string } } }).user._id.$oid}`;
  return undefined;
}
