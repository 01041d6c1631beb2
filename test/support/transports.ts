import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replyChecker } from '../../tools/harness/check-reply.ts';
import * as calls from '../../tools/harness/transports.ts';

export type { Call, Reply, SentRequest } from '../../tools/harness/transports.ts';

/**
 * Calls the function of the path in `serverless.yml`. Every response is compared with the contract.
 */
export const inProcess: calls.Call = (method, path, sent) => checked(calls.inProcess, method, path, sent);

/** Calls a running service over HTTP. Every response is compared with the contract. */
export const overHttp =
  (baseUrl: string): calls.Call =>
  (method, path, sent) =>
    checked(calls.overHttp(baseUrl), method, path, sent);

/** Calls a service over HTTP that starts with the first call. */
export const overHttpTo =
  (findUrl: () => Promise<string>): calls.Call =>
  async (...call) =>
    overHttp(await findUrl())(...call);

/**
 * Calls a service over HTTP behind a proxy, which may add headers. Every response is compared with
 * the contract.
 */
export const behindProxy =
  (baseUrl: string): calls.Call =>
  (method, path, sent) =>
    checked(calls.overHttp(baseUrl), method, path, sent, checkBehindProxy);

/**
 * The transports by name, which must all answer alike: in process, or at night with `VARIANT=http`
 * over HTTP.
 */
export const transports = (): [string, calls.Call][] =>
  process.env.TRANSPORTS === 'http'
    ? [
        ['under serverless-offline', overHttpTo(async () => (await import('./services.ts')).offlineUrl())],
        ['under npm run serve', overHttpTo(async () => (await import('./services.ts')).serveUrl())],
      ]
    : [['in process', inProcess]];

async function checked(
  call: calls.Call,
  method: string,
  path: string,
  sent?: calls.SentRequest,
  compare = check,
): Promise<calls.Reply> {
  const reply = await call(method, path, sent);
  const { operation, faults } = compare(method, path, reply);
  if (faults.length > 0) {
    throw new Error(
      `${method} ${path} -> ${reply.status} ${JSON.stringify(reply.body).slice(0, 500)}: it ${faults.join('; it ')}`,
    );
  }
  recordCovered(`${operation} ${reply.status}`);
  return reply;
}

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const check = replyChecker(document);
const checkBehindProxy = replyChecker(document, () => {});

// One file per worker, with each line once. The reporter `contract-coverage.ts` reads them at the
// end.
const seen = new Set<string>();
function recordCovered(line: string): void {
  const directory = process.env.CONTRACT_COVERAGE_DIRECTORY;
  if (seen.has(line) || directory === undefined) return;
  seen.add(line);
  appendFileSync(join(directory, String(process.pid)), `${line}\n`);
}
