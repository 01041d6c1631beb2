import { describe, expect, it } from 'vitest';
import { databaseIsWithinThisProcess } from '../../../lib/database/within-process.ts';
import type { Account } from '../../support/accounts.ts';
import type { SentCommand } from '../../support/sent-commands.ts';

databaseIsWithinThisProcess();
const { anAccount } = await import('../../support/accounts.ts');
const { aMessage } = await import('../../support/messages.ts');
const { aRoomOf } = await import('../../support/rooms.ts');
const { commandsOf } = await import('../../support/sent-commands.ts');
const { inProcess } = await import('../../support/transports.ts');

const ann: Account = await anAccount();
const room = await aRoomOf([ann]);

const synced = { w: 'majority', j: true };

describe('a database within this process', () => {
  it('syncs the place of a message with the message alone, and that of a change with the change', async () => {
    expect(concernsOf(await commandsOf(() => aMessage(ann, room)))).toMatchObject({
      'findAndModify rooms': { w: 'majority', j: false },
      'insert messages': synced,
    });
    const rename = () => inProcess('PATCH', `/api/rooms/${room}/details`, { token: ann.token, body: { topic: 'New' } });
    expect(concernsOf(await commandsOf(rename))).toMatchObject({ 'findAndModify rooms': synced, 'insert events': synced });
  });
});

/** What each write asks of the disk. */
const concernsOf = (commands: SentCommand[]): Record<string, unknown> =>
  Object.fromEntries(
    commands
      .filter(({ command }) => command.writeConcern)
      .map(({ name, collection, command }) => [`${name} ${collection}`, command.writeConcern]),
  );
