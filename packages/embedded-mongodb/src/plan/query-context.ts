import type { Context } from '../context.ts';
import type { TimeLimit } from './time-limit.ts';

/** What a query may refer to, and how long it may take. */
export type QueryContext = Context & {
  readonly timeLimit?: TimeLimit | undefined;
};
