import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { runConformance } from './run.ts';

const usage = `Usage: npm run conformance -- <base_url>

Checks a running service against its contract, one line per row, and deletes everything that it creates.
It needs an administrator's token, in the environment variable CHAT_TOKEN or else on standard input.
Exits with 0 when every row conforms, with 1 when one does not, nothing answers or it is interrupted, with 2 for wrong usage.
`;

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const baseUrl = readBaseUrl();
const token = await readToken();
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupted.abort(new Error('Interrupted.')));
}
const print = (line: string) => process.stdout.write(`${line}\n`);
process.exitCode = await runConformance(baseUrl, token, document, print, interrupted.signal).then(
  (conforms) => (conforms ? 0 : 1),
  fail,
);

function readBaseUrl(): string {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      process.stdout.write(usage);
      process.exit(0);
    }
    const [baseUrl, ...more] = positionals;
    if (baseUrl !== undefined && more.length === 0 && URL.canParse(baseUrl)) return baseUrl;
  } catch {
    // An unknown option: print the usage.
  }
  return end();
}

/** Reads the token. It is not an argument, because other users of the machine could read it. */
async function readToken(): Promise<string> {
  const token = process.env.CHAT_TOKEN || (process.stdin.isTTY ? '' : await text(process.stdin));
  return token.trim() || end();
}

function fail(error: unknown): number {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  return 1;
}

function end(): never {
  process.stderr.write(usage);
  process.exit(2);
}
