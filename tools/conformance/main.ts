import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runConformance } from './run.ts';

const usage = `Usage: npm run conformance -- <base_url> --token <admin token>

Checks a running service against its contract, one line per row, and deletes everything that it creates.
Exits with 0 when every row conforms, with 1 when one does not, with 2 for wrong usage.
`;

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const { baseUrl, token } = readArguments();
process.exitCode = (await runConformance(baseUrl, token, document, (line) => process.stdout.write(`${line}\n`))) ? 0 : 1;

function readArguments(): { baseUrl: string; token: string } {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { token: { type: 'string' } } });
    const [baseUrl, ...more] = positionals;
    if (baseUrl !== undefined && more.length === 0 && values.token && URL.canParse(baseUrl))
      return { baseUrl, token: values.token };
  } catch {
    // An unknown option: the usage lists the known ones.
  }
  process.stderr.write(usage);
  process.exit(2);
}
