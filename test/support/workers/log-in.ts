import { logIn } from '../../../lib/sign-in/login.ts';
import { race, statusOf } from './race.ts';

/** An attempt to log in. */
export type LoginAttempt = { name: string; password: string; source: string };

// One after the other: the processes compete, not the connections of one process.
await race(async (attempts: LoginAttempt[]) => {
  const statuses: number[] = [];
  for (const attempt of attempts) statuses.push(await statusOf(logIn({ ...attempt, agent: undefined })));
  return statuses;
});
