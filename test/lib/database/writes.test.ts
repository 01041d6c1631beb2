import { expect, it } from 'vitest';
import { withDeadline } from '../../../lib/base/deadline.ts';
import { database } from '../../../lib/database/client.ts';
import { duplicateIn } from '../../../lib/database/failures.ts';
import { databaseIsWithinThisProcess } from '../../../lib/database/within-process.ts';
import { insertEach } from '../../../lib/database/writes.ts';
import { commandsGot, useDatabaseWithin } from '../../support/database-within.ts';
import { lastChange } from '../../support/worker.ts';

await useDatabaseWithin();

type NumberedDocument = { _id: number; text?: string | undefined };

it('inserting several documents reports which were refused, within this process as elsewhere', async () => {
  for (const isWithin of [true, false]) {
    databaseIsWithinThisProcess(isWithin ? lastChange : undefined);
    const numbers = database.collection<NumberedDocument>(isWithin ? 'within' : 'elsewhere');
    const outcomes = await insertEach(numbers, [{ _id: 1 }, { _id: 2, text: undefined }, { _id: 1, text: 'again' }, { _id: 3 }]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [duplicateIn(outcome.reason)] : []))).toEqual(['_id_']);
    expect(await numbers.find().sort({ _id: 1 }).toArray()).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  }
  databaseIsWithinThisProcess(lastChange);
});

it('inserting several documents is one synced command, within the time of its request', async () => {
  const numbers = database.collection<NumberedDocument>('timed');
  const insert = () => insertEach(numbers, [{ _id: 1 }, { _id: 2 }]);
  const [command] = await commandsGot(() => withDeadline(performance.now() + 60_000, insert));
  expect(command?.get('insert')).toBe('timed');
  expect(Number(command?.get('maxTimeMS'))).toBe(3_000);
  expect(command?.get('writeConcern')).toEqual(new Map(Object.entries({ w: 'majority', j: true })));
});

it('inserting many large documents at once exceeds no limit of a command', async () => {
  const numbers = database.collection<NumberedDocument>('many');
  const all = Array.from({ length: 200 }, (_, _id) => ({ _id, text: 'x'.repeat(100_000) }));
  expect((await insertEach(numbers, all)).filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await numbers.countDocuments()).toBe(200);
});
