import type { Doc, Value } from '../query/value.ts';
import { SESSION_MINUTES } from './retryable-writes.ts';

/** No more sessions are remembered than this, lest a client fill the memory with them. */
const MAX_SESSIONS = 100_000;

/** The sessions that were used lately, which is all that the server knows of them. */
export function createKnownSessions() {
  const used = new Map<string, { readonly id: Value; at: number }>();
  return {
    touch(key: string, id: Value, now: number): void {
      const session = used.get(key);
      if (session !== undefined) session.at = now;
      else if (used.size < MAX_SESSIONS) used.set(key, { id, at: now });
    },
    end: (key: string) => used.delete(key),
    keys: () => [...used.keys()],
    expire(now = Date.now()): void {
      for (const [key, { at }] of used) if (at < now - SESSION_MINUTES * 60_000) used.delete(key);
    },
    /** As `$listLocalSessions` shows them. */
    list(): Doc[] {
      return Array.from(
        used.values(),
        ({ id, at }): Doc =>
          new Map<string, Value>([
            ['_id', new Map([['id', id]])],
            ['lastUse', new Date(at)],
          ]),
      );
    },
  };
}

/** What `createKnownSessions` makes. */
export type KnownSessions = ReturnType<typeof createKnownSessions>;
