import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { anAdmin } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { startProcesses } from '../../support/processes.ts';
import type { StepDown } from '../../support/workers/step-down.ts';

// Every account affects who is the last administrator, so this needs its own database.
useOwnDatabase();

const users = database.collection('users');
const processes = await startProcesses<StepDown, number>(6, 'step-down');

beforeEach(async () => {
  await users.deleteMany({});
});
afterAll(processes.end);

const admins = () => users.countDocuments({ is_admin: true, is_active: true });

describe('the last administrator', () => {
  it.each<[string, number, StepDown['way'][]]>([
    ['two are demoted', 2, ['demote']],
    ['two are deleted', 2, ['delete']],
    ['six are demoted', 6, ['demote']],
    ['six step down in every way', 6, ['demote', 'deactivate', 'delete']],
  ])('the last administrator remains when %s concurrently, by several processes', async (_what, count, ways) => {
    for (let round = 0; round < 6; round++) {
      await users.deleteMany({});
      const all = await Promise.all(Array.from({ length: count }, anAdmin));
      const statuses = await processes.run(all.map(({ id }, index) => ({ id, way: ways[index % ways.length] ?? 'demote' })));
      expect(statuses.sort()).toEqual([...Array(count - 1).fill(200), 409]);
      expect(await admins()).toBe(1);
      expect(await users.countDocuments({ leaving: { $exists: true } })).toBe(0);
    }
  });

  it('the last administrator remains when six processes demote the same other administrator', async () => {
    const { id } = await anAdmin();
    await anAdmin();
    expect(await processes.run(Array.from({ length: 6 }, () => ({ id, way: 'demote' })))).toEqual(Array(6).fill(200));
    expect(await admins()).toBe(1);
  });
});
