import type { Call } from './transports.ts';

/** A participant of the walkthrough; anonymous without a token. */
export type Person = { name: string; token?: string };

/** One request of the walkthrough and its response. */
export type Step = {
  who: Person;
  method: string;
  /** The path in `serverless.yml`, and the actual address. */
  path: string;
  address: string;
  variables: Record<string, string>;
  query: Record<string, string>;
  body?: unknown;
  status: number;
  answer?: unknown;
};

/** The parts of a request in addition to its path. */
type Parts = { query?: Record<string, string>; body?: unknown };

/**
 * Sends a request and returns the body of the response. In `path`, `{room}` is replaced by the
 * value of `room`.
 */
export type DoStep = (
  who: Person,
  method: string,
  path: string,
  variables?: Record<string, string>,
  parts?: Parts,

  // biome-ignore lint/suspicious/noExplicitAny: each response has its own shape
) => Promise<any>;

/**
 * Walks through the API with `call`: calls every operation at least once, as users of a small
 * service would. The examples of the reference are these requests and responses. Throws if a
 * request fails.
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

/** The first step of each operation, by `METHOD path`. */
export function firstSteps(steps: Step[]): Map<string, Step> {
  const first = new Map<string, Step>();
  for (const step of steps) {
    const operation = `${step.method} ${step.path}`;
    if (!first.has(operation)) first.set(operation, step);
  }
  return first;
}
