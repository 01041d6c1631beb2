import { ObjectId } from 'mongodb';
import { type MessageDocument, messages } from '../../../lib/collections/rooms/messages.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { aMessage, anAccount, aRoom } from './documents.ts';

/** The data that the attacks need: a user's token, and an attacker with several rooms. */
export type Target = {
  id: ObjectId;
  token: string;
  attacker: { id: ObjectId; username: string; password: string; token: string };
  /** Rooms that the attacker owns. */
  rooms: {
    /**
     * Many short messages of the attacker that share a word. The last ones are replies to the
     * first, whose id is `parent`.
     */
    common: string;
    /** Long messages of many words with accents. */
    long: string;
    /** A flood of new messages. */
    flooded: string;
    /** Messages of the maximum size, 40 kB each. */
    large: string;
    /** A thousand members and no messages. */
    crowded: string;
    /** Many rooms with the attacker as the only member. */
    empty: string[];
  };
  parent: string;
  /** The names of the crowded room's members. */
  names: string[];
};

const batchSize = 1_000;

/** Fills a database with data that makes requests expensive. */
export async function fillForAttacks(): Promise<Target> {
  const other = await anAccount('other');
  const attacker = await anAccount('attacker');
  const names = Array.from({ length: 1_000 }, (_, at) => `m${at}`);
  const members = await Promise.all(names.slice(0, 50).map((name) => anAccount(name)));

  const room = async (count: number, message: (seq: number) => Partial<MessageDocument>, others: ObjectId[] = []) => {
    const made = aRoom([attacker.id, ...others], { seq: count, message_count: count });
    const { _id } = made;
    await rooms.unscoped.insertOne(made);
    for (let seq = 1; seq <= count; seq += batchSize) {
      const batch = Array.from({ length: Math.min(batchSize, count - seq + 1) }, (_, at) =>
        aMessage(_id, attacker.id, seq + at, {
          text: '',
          created_at: new Date(Date.now() - 86_400_000 + seq + at),
          ...message(seq + at),
        }),
      );
      await messages.unscoped.insertMany(batch, { ordered: false });
    }
    return _id.toHexString();
  };

  const parent = new ObjectId();
  const replies = { from: 20_001 };
  const targets = {
    common: await room(40_000, (seq) => ({
      text: `the message ${seq}`,
      ...(seq === 1 && { _id: parent, has_replies: true as const }),
      ...(seq >= replies.from && { thread: parent }),
    })),
    long: await room(600, (seq) => ({ text: `aà ${manyWords(seq)}` })),
    flooded: await room(50_000, () => ({ text: 'flood', created_at: new Date() })),
    large: await room(600, () => ({ text: '😀'.repeat(10_000) })),
    crowded: await room(0, () => ({}), [...members.map(({ id }) => id), ...Array.from({ length: 949 }, () => new ObjectId())]),
    empty: [] as string[],
  };
  for (let count = 0; count < 500; count++) targets.empty.push(await room(0, () => ({})));
  return { id: other.id, token: other.token, attacker, rooms: targets, parent: parent.toHexString(), names: names.slice(0, 50) };
}

/** A text of 9,890 characters in which each word occurs once. */
function manyWords(seed: number): string {
  let words = '';
  for (let at = 0; words.length < 9_890; at++) words += `é${(seed * 7919 + at).toString(36)} `;
  return words.slice(0, 9_890);
}
