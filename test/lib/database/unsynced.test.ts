import { describe, expect, it } from 'vitest';
import { databaseEndsWithThisProcess } from '../../../lib/database/unsynced.ts';
import { anAccount } from '../../support/accounts.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { commandsOf } from '../../support/sent-commands.ts';
import { inProcess } from '../../support/transports.ts';

const ann = await anAccount();
const room = await aRoomOf([ann]);

const synced = { w: 'majority', j: true };
const unsynced = { w: 'majority', j: false };

describe('the place of a message', () => {
  it('is synced where the database may forget it and this process goes on', async () => {
    expect(await concernsOf(() => aMessage(ann, room))).toMatchObject({
      'findAndModify rooms': synced,
      'insert messages': synced,
    });
  });

  it('is synced with the message alone where the database is within this process, but that of a change is the change itself', async () => {
    databaseEndsWithThisProcess();
    expect(await concernsOf(() => aMessage(ann, room))).toMatchObject({
      'findAndModify rooms': unsynced,
      'insert messages': synced,
    });
    const rename = () => inProcess('PATCH', `/api/rooms/${room}/details`, { token: ann.token, body: { topic: 'New' } });
    expect(await concernsOf(rename)).toMatchObject({ 'findAndModify rooms': synced, 'insert events': synced });
  });
});

/** What each write of some work asks of the disk. */
async function concernsOf(work: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const written = (await commandsOf(work)).filter(({ command }) => command.writeConcern);
  return Object.fromEntries(written.map(({ name, collection, command }) => [`${name} ${collection}`, command.writeConcern]));
}
