import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { runConformance } from './run.ts';

const usage = `Usage: npm run conformance -- <base_url>

Checks a running service against its contract, one line per row, and deletes everything that it creates.
It needs an administrator's token, in the environment variable CHAT_TOKEN or else on standard input.
Exits with 0 when every row conforms, with 1 when one does not, with 2 for wrong usage.
`;

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const baseUrl = readBaseUrl();
const token = await readToken();
process.exitCode = (await runConformance(baseUrl, token, document, (line) => process.stdout.write(`${line}\n`))) ? 0 : 1;

function readBaseUrl(): string {
  try {
    const [baseUrl, ...more] = parseArgs({ allowPositionals: true }).positionals;
    if (baseUrl !== undefined && more.length === 0 && URL.canParse(baseUrl)) return baseUrl;
  } catch {
    // An unknown option: there are none.
  }
  return end();
}

/** Not an argument, which every user of the machine can read for as long as the command runs. */
async function readToken(): Promise<string> {
  const token = process.env.CHAT_TOKEN || (process.stdin.isTTY ? '' : await text(process.stdin));
  return token.trim() || end();
}

function end(): never {
  process.stderr.write(usage);
  process.exit(2);
}
