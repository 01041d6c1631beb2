import type { Call, Reply } from '../harness/transports.ts';

/** A call that remembers which rooms and users were made through it and are still there, so that they can be taken away. */
export function tracing(call: Call, admin: string) {
  const left = new Set<string>();

  const traced: Call = async (method, path, sent) => {
    const reply = await call(method, path, sent);
    const made = reply.status === 201 && madeBy(method, path, reply);
    if (made) left.add(made);
    if (method === 'DELETE' && reply.status === 204) left.delete(path);
    return reply;
  };

  /** Takes away what is left; fails when it stays. */
  const clean = async () => {
    // Rooms first: a user may be the last owner of one.
    for (const path of [...left].sort()) await call('DELETE', path, { token: admin });
    for (const path of left) {
      const { status } = await call('GET', path, { token: admin });
      if (status !== 404) throw new Error(`${path} is still there`);
    }
  };

  return { call: traced, clean };
}

function madeBy(method: string, path: string, { body }: Reply): string | undefined {
  if (method !== 'POST') return undefined;
  if (path === '/api/rooms') return `/api/rooms/${(body as { _id: { $oid: string } })._id.$oid}`;
  if (path === '/api/users') return `/api/users/${(body as { user: { _id: { $oid: string } } }).user._id.$oid}`;
  return undefined;
}
