import { Collection, ObjectId } from 'mongodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { changeUser } from '../../../lib/accounts/accounts.ts';
import { tokens } from '../../../lib/collections/accounts/tokens.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { anAccount, anAdmin } from '../../support/accounts.ts';
import { aBot } from '../../support/bots.ts';
import { inProcess as call } from '../../support/transports.ts';

const { deleteMany } = tokens;
const admin = await anAdmin();
const status = async (token: string) => (await call('GET', '/api/users/me', { token })).status;

afterEach(() => vi.restoreAllMocks());

describe('the tokens of a bot', () => {
  it('the tokens of a bot end first when its owner is deactivated, in case the rest is interrupted', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner);
    vi.spyOn(tokens, 'deleteMany').mockImplementation((filter) =>
      filter?.kind === 'session' ? Promise.reject(new Error('dead')) : deleteMany(filter),
    );
    await expect(changeUser(new ObjectId(owner.id), { is_active: false })).rejects.toThrow('dead');
    expect(await users.findOne({ _id: new ObjectId(owner.id) })).toMatchObject({ is_active: false });
    expect(await status(bot.token)).toBe(401);
  });

  it('the tokens of a bot end before it has another owner, who therefore never has them', async () => {
    const bot = await aBot(await anAccount());
    vi.spyOn(Collection.prototype, 'findOneAndUpdate').mockRejectedValueOnce(new Error('dead'));
    expect((await call('PATCH', bot.path, { token: admin.token, body: { owner: admin.id } })).status).toBe(500);
    expect(await status(bot.token)).toBe(401);
  });
});
