import { answerCalls } from '../base/thread.ts';
import { hash, verify } from './bcrypt.ts';
import type { PasswordJob } from './password-pool.ts';

answerCalls(({ plain, hashed, cost, isNew }: PasswordJob) => (isNew ? hash(plain, cost) : verify(plain, hashed, cost)));
