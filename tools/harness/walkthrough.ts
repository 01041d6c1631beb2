import type { Call } from './transports.ts';

/** Someone who takes part in the story; without a token: anyone. */
export type Person = { name: string; token?: string };

/** One request of the story and its answer, as they were. */
export type Step = {
  who: Person;
  method: string;
  /** The path as it stands in `serverless.yml`, and the address that was called. */
  path: string;
  address: string;
  variables: Record<string, string>;
  query: Record<string, string>;
  body?: unknown;
  status: number;
  answer?: unknown;
};

/** What a request of the story has beside its path. */
type Sending = { query?: Record<string, string>; body?: unknown };

/** Sends a request of the story; `path` has its variables in it: `{room}` becomes the value of `room`. */
export type Say = (
  who: Person,
  method: string,
  path: string,
  variables?: Record<string, string>,
  sending?: Sending,

  // biome-ignore lint/suspicious/noExplicitAny: each answer is of a shape of its own, which the contract checks
) => Promise<any>;

/**
 * Tells the story through `call`: a day in the life of a small house, in which every operation is called once or more often.
 * The reference and its examples show what was sent and answered here. Fails when an answer is not a success.
 */
export async function tellStory(call: Call, story: (say: Say) => Promise<void>): Promise<Step[]> {
  const steps: Step[] = [];
  await story(async (who, method, path, variables = {}, { query = {}, body } = {}) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(variables[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    const address = search ? `${filled}?${search}` : filled;
    const reply = await call(method, address, { token: who.token, body });
    if (reply.status >= 300) throw new Error(`${method} ${address} -> ${reply.status} ${JSON.stringify(reply.body)}`);
    const said = { who, method, path, address, variables, query, status: reply.status };
    steps.push({ ...said, ...(body !== undefined && { body }), ...(reply.status !== 204 && { answer: reply.body }) });
    return reply.body;
  });
  return steps;
}

/** The first step for each operation, by `METHOD path`. */
export function firstSteps(steps: Step[]): Map<string, Step> {
  const first = new Map<string, Step>();
  for (const step of steps) {
    const operation = `${step.method} ${step.path}`;
    if (!first.has(operation)) first.set(operation, step);
  }
  return first;
}
