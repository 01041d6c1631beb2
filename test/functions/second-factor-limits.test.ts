import { expect, it } from 'vitest';
import { anAccount, anAddress } from '../support/accounts.ts';
import { callWith } from '../support/config.ts';
import { aWrongCode, codeOf, turnOn } from '../support/second-factor.ts';
import { inProcess } from '../support/transports.ts';

const limited = callWith({ RATE_LIMITS: 'on', LOGINS_PER_MINUTE: '3' });

it('somebody with only the password has few attempts, and they do not reduce those of the owner', async () => {
  const { username, password, token } = await anAccount();
  const { app, recovery } = await turnOn(inProcess, { token, password });
  const logIn = async (source: string, second_factor?: string) =>
    (
      await limited('POST', '/api/sessions', {
        body: { username, password, ...(second_factor && { second_factor }) },
        source,
      })
    ).status;
  const [elsewhere, home] = [anAddress(), anAddress()];
  const steps = [1, 2, 3, 4].map(() => () => logIn(elsewhere));
  const statuses: number[] = [];
  for (const step of steps) statuses.push(await step());
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect([await logIn(home), await logIn(home, codeOf(app, 1)), await logIn(home, recovery[0])]).toEqual([401, 201, 201]);
  // Complete logins still have their own limit.
  expect([await logIn(home, recovery[1]), await logIn(home, recovery[2])]).toEqual([201, 429]);
});

it('guesses of codes take no logins from the owner either, also those that are too many', async () => {
  const { username, password, token } = await anAccount();
  const { app, recovery } = await turnOn(inProcess, { token, password });
  const logIn = async (source: string, second_factor = '') =>
    (await limited('POST', '/api/sessions', { body: { username, password, second_factor }, source })).status;
  const home = anAddress();
  expect(await logIn(home, codeOf(app, 1))).toBe(201);
  const statuses: number[] = [];
  for (let count = 0; count < 15; count++) statuses.push(await logIn(anAddress(), aWrongCode(app)));
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
  expect(await logIn(home, recovery[0])).toBe(201);
});
