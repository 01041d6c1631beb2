import { EventEmitter } from 'node:events';
import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { deliver } from '../../../hosts/server/push/deliver.ts';
import { Hub } from '../../../hosts/server/push/hub.ts';
import { answer } from '../../../hosts/server/push/talk.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { anAccount } from '../../support/accounts.ts';
import { addMember, aRoom } from '../../support/rooms.ts';

type SentFrame = { type: string; text?: string };

/** A server with a connected member of a room. Its notices come from the test. */
async function aReader() {
  const [room, ann] = [await aRoom(), await anAccount()];
  await addMember(room, ann);
  const hub = new Hub(async () => {});
  const sent: SentFrame[] = [];
  const socket = Object.assign(new EventEmitter(), {
    bufferedAmount: 0,
    send: (frame: unknown) => sent.push(JSON.parse(String(frame))),
  });
  const talk = { hub, ...hub.connect(socket as never, { user: ann.id, username: ann.username, token: '' }) };
  answer(talk, Buffer.from(JSON.stringify({ type: 'hello' })), false);
  await expect.poll(() => sent.map(({ type }) => type)).toContain('hello');
  const message = new ObjectId().toHexString();
  return {
    room,
    ann,
    sent,
    texts: () => sent.flatMap(({ type, text }) => (type === 'chunk' ? [text] : [])),
    stream: (text: string, options?: { isPaced: boolean }) =>
      deliver(hub, { type: 'chunk', room: room.id, user: room.owner.id, message, at: 0, text }, options),
    leave: () => deliver(hub, { type: 'moved', room: room.id, seq: 0, left: [ann.id] }),
    crowd: () => {
      for (let count = 0; count < 60; count++) {
        const other = new EventEmitter() as never;
        const { follower } = hub.connect(other, { user: new ObjectId().toHexString(), username: 'other', token: '' });
        hub.rooms.get(room.id)?.followers.add(follower);
      }
    },
  };
}

it('a member who is removed while a text streams gets none of its next chunks', async () => {
  const { room, ann, sent, texts, stream, leave } = await aReader();
  stream('One');
  await rooms.updateOne({ _id: new ObjectId(room.id) }, { $pull: { members: { user: new ObjectId(ann.id) } } });
  leave();
  stream('One two');
  expect(texts()).toEqual(['One']);
  expect(sent.filter(({ type }) => type === 'left')).toHaveLength(1);
});

it('a member who has joined again before the news of the removal arrive gets the next chunks', async () => {
  const { texts, stream, leave } = await aReader();
  leave();
  await expect
    .poll(() => {
      stream('One');
      return texts();
    })
    .toContain('One');
});

it('chunks of another server, which arrive once a second, are passed on immediately in large rooms', async () => {
  const { texts, stream, crowd } = await aReader();
  crowd();
  stream('One');
  stream('One two');
  expect(texts()).toEqual(['One']);
  stream('One two three', { isPaced: true });
  expect(texts()).toEqual(['One', 'One two three']);
});
