import { EventEmitter } from 'node:events';
import { ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { Hub } from '../../../hosts/server/push/hub.ts';
import { answer } from '../../../hosts/server/push/talk.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { onNotice } from '../../../lib/notices/notices.ts';
import { anAccount } from '../../support/accounts.ts';
import { addMember, aRoom } from '../../support/rooms.ts';

/** A connected client of a server that receives no notices about changes elsewhere. */
async function connect({ id: user, username }: { id: string; username: string }) {
  const hub = new Hub(async () => {});
  const sent: { type: string }[] = [];
  const socket = Object.assign(new EventEmitter(), {
    bufferedAmount: 0,
    send: (frame: unknown) => sent.push(JSON.parse(String(frame))),
  });
  const talk = { hub, ...hub.connect(socket as never, { user, username, token: '' }) };
  const send = (frame: object) => answer(talk, Buffer.from(JSON.stringify(frame)), false);
  send({ type: 'hello' });
  await expect.poll(() => sent.map(({ type }) => type)).toContain('hello');
  return send;
}

it('a removed user is not shown as typing in a room, even before the server learns of the removal', async () => {
  const [room, other, ann] = [await aRoom(), await aRoom(), await anAccount()];
  for (const one of [room, other]) await addMember(one, ann);
  const send = await connect(ann);
  const typed: string[] = [];
  onTestFinished(onNotice((notice) => void (notice.type === 'typing' && typed.push(notice.room))));
  await rooms.updateOne({ _id: new ObjectId(room.id) }, { $pull: { members: { user: new ObjectId(ann.id) } } });
  send({ type: 'typing', room: { $oid: room.id } });
  send({ type: 'typing', room: { $oid: other.id } });
  await expect.poll(() => typed).toContain(other.id);
  expect(typed).toEqual([other.id]);
});
