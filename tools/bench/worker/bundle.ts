import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Handler } from '../../../lib/http/operation.ts';

/*
 * A new process, as Lambda starts one: loads a packaged function, calls it repeatedly, and prints the measurements.
 * `node bundle.ts BUNDLE REPEATS EVENT`, with the event as JSON; a bundle of the bare driver exports `handler`, too.
 */

/** The measurements. */
export type Run = {
  /** Milliseconds from before the bundle was loaded to the first response. */
  first: number;
  /** Milliseconds that each of the later calls took, and how many of them the processor took. */
  each: number;
  processorOfEach: number;
  /** The peak of its memory, in MB. */
  memory: number;
};

const [bundle = '', repeats = '1', event = '{}'] = process.argv.slice(2);
const context = { awsRequestId: 'bench', functionName: 'bench' } as Context;
const newEvent = (): APIGatewayProxyEventV2 => JSON.parse(event);

const since = performance.now();
const { handler } = (await import(pathToFileURL(bundle).href)) as { handler: Handler };
const { statusCode, body } = await handler(newEvent(), context);
const first = performance.now() - since;
if (statusCode >= 300 && statusCode !== 401) throw new Error(`It was answered with ${statusCode}: ${body}`);

// The first half of the calls only warms up.
const warmUp = Math.floor(Number(repeats) / 2);
for (let i = 0; i < warmUp; i++) await handler(newEvent(), context);
const measured = Math.max(1, Number(repeats) - warmUp - 1);
const began = performance.now();
const processor = process.cpuUsage();
if (Number(repeats) > 1) for (let i = 0; i < measured; i++) await handler(newEvent(), context);
const { user, system } = process.cpuUsage(processor);
const run: Run = {
  first,
  each: (performance.now() - began) / measured,
  processorOfEach: (user + system) / 1000 / measured,
  memory: process.resourceUsage().maxRSS / 1024,
};
process.stderr.write(JSON.stringify(run), () => process.exit());
