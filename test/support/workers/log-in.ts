import { logIn } from '../../../lib/sign-in/login.ts';
import { race, statusOf } from './race.ts';

/** An attempt to log in. */
export type LoginAttempt = { name: string; password: string; source: string };

// One after the other: the race is between the processes, not for the connections of one.
await race(async (attempts: LoginAttempt[]) => {
  const statuses: number[] = [];
  for (const attempt of attempts) statuses.push(await statusOf(logIn({ ...attempt, agent: undefined })));
  return statuses;
});
