import type { Call } from './transports.ts';

/** Someone who takes part in the walkthrough; without a token: anyone. */
export type Person = { name: string; token?: string };

/** One request of the walkthrough and its answer, as they were. */
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

/** What a request has besides its path. */
type Parts = { query?: Record<string, string>; body?: unknown };

/** Makes one step: sends a request, in whose `path` `{room}` becomes the value of `room`, and returns the answer. */
export type DoStep = (
  who: Person,
  method: string,
  path: string,
  variables?: Record<string, string>,
  parts?: Parts,

  // biome-ignore lint/suspicious/noExplicitAny: each answer is of a shape of its own, which the contract checks
) => Promise<any>;

/**
 * Walks through the API with `call`: every operation is called at least once, as users of a small service would. The examples in the reference
 * show these requests and answers. Fails when an answer is not a success.
 */
export async function walkThrough(call: Call, walkthrough: (step: DoStep) => Promise<void>): Promise<Step[]> {
  const steps: Step[] = [];
  await walkthrough(async (who, method, path, variables = {}, { query = {}, body } = {}) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(variables[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    const address = search ? `${filled}?${search}` : filled;
    const reply = await call(method, address, { token: who.token, body });
    if (reply.status >= 300) throw new Error(`${method} ${address} -> ${reply.status} ${JSON.stringify(reply.body)}`);
    const step = { who, method, path, address, variables, query, status: reply.status };
    steps.push({ ...step, ...(body !== undefined && { body }), ...(reply.status !== 204 && { answer: reply.body }) });
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
