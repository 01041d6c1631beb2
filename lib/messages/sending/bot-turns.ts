import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../../base/errors.ts';
import { messages } from '../../collections/rooms/messages.ts';
import { rooms } from '../../collections/rooms/rooms.ts';
import type { Caller } from '../../identity/caller.ts';
import { findPersons } from '../../identity/persons.ts';
import { config } from '../../settings/config.ts';
import { isProgram } from '../questions/question.ts';

/* Programs that answer each other must stop: nothing else ends such a conversation. */

/** For how long programs wait for a person. */
const pauseMs = 10 * 60_000;

export const botsAlone: Refusal = () =>
  conflict('bots_alone', 'Only bots and agents have written here lately. Wait until a person writes, or for 10 minutes.');

type Turn = { room: ObjectId; thread: ObjectId | undefined; caller: Caller };

/**
 * Refuses a message of a bot or an agent (409) while programs talk to each other. That is the case
 * if several programs have written the last `BOT_TURNS` messages. Ten minutes of silence end this.
 * A single program may report as often as it likes, because nobody answers it.
 */
export async function requireRecentPerson({ room, thread, caller }: Turn): Promise<void> {
  const most = config.botTurns;
  if (most === 0 || !isProgram(caller)) return;
  // A caller who is not a member is refused elsewhere and learns nothing here.
  const where = { _id: room, 'members.user': caller.user._id, ...(!thread && { is_direct: true as const }) };
  if (!(await rooms.findOne(where, { projection: { _id: 1 } }))) return;
  const among = thread ? { room, thread } : { room, is_folded: { $exists: false } };
  const options = { sort: { seq: -1 as const }, limit: most, projection: { user: 1, via: 1, created_at: 1 } };
  const last = await messages.find(among, options).toArray();
  const [newest] = last;
  if (!newest || last.length < most || newest.created_at.getTime() < Date.now() - pauseMs) return;
  const persons = await findPersons(last.map(({ user }) => user));
  const isFromProgram = ({ user, via }: (typeof last)[number]) =>
    via !== undefined || persons.get(user.toHexString())?.is_bot === true;
  const speakers = new Set([...last, { user: caller.user._id, via: caller.token.agent }].map(speakerOf));
  if (last.every(isFromProgram) && speakers.size > 1) throw botsAlone();
}

const speakerOf = ({ user, via = '' }: { user: ObjectId; via?: string | undefined }) => `${user.toHexString()} ${via}`;
