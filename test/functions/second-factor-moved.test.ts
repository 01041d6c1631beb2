import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { database } from '../../lib/database/client.ts';
import { exportTo, importFrom } from '../../lib/database/export-import.ts';
import { collectionNames } from '../../lib/operating/prepare.ts';
import { anAccount, anAddress } from '../support/accounts.ts';
import { useOwnDatabase } from '../support/config.ts';
import { codeOf, turnOn } from '../support/second-factor.ts';
import { inProcess as call } from '../support/transports.ts';

useOwnDatabase();

const directory = await mkdtemp(join(tmpdir(), 'chat-second-factor-'));
afterAll(() => rm(directory, { recursive: true }));

it('a second factor is in an export as it is stored, without its secret and codes, and works after the import', async () => {
  const account = await anAccount();
  const { app, used, recovery } = await turnOn(call, account);
  const file = join(directory, 'all.ndjson');
  await exportTo(file, { collections: collectionNames, progress: () => {} });
  await database.collection('users').deleteMany({});
  await importFrom(file, collectionNames, () => {});

  const exported = await readFile(file, 'utf8');
  expect(exported).toContain(account.username);
  const { base32, hex } = app.secret;
  const secrets = [base32, hex, hex.toLowerCase(), Buffer.from(hex, 'hex').toString('base64').slice(0, -2)];
  for (const secret of [...secrets, ...recovery, ...recovery.map((code) => code.replaceAll('-', ''))])
    expect(exported).not.toContain(secret);

  const { username, password } = account;
  const logIn = async (second_factor: string) =>
    (await call('POST', '/api/sessions', { body: { username, password, second_factor }, source: anAddress() })).status;
  // Codes that were used before the export remain used.
  expect([await logIn(used), await logIn(codeOf(app, 1)), await logIn(recovery[0] ?? '')]).toEqual([401, 201, 201]);
});
