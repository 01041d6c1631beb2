import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/*
 * Runs `npm run serve` once on a temporary database, to fill the compile cache (compile-cache.js).
 * After that, the server starts faster and uses less memory, even if it cannot write. Runs after
 * `npm ci`. It is JavaScript because the Node.js that installs may be older than the one that
 * serves.
 */
const project = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
const { PATH, NODE_COMPILE_CACHE } = process.env;
const directory = mkdtempSync(join(tmpdir(), 'chat-service-'));
const words = scripts.serve.split(' ');
const server = spawn(process.execPath, words.slice(words.indexOf('node') + 1), {
  cwd: project,
  env: { PATH, NODE_COMPILE_CACHE, DATA_DIR: directory, HTTP_PORT: '0' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
let said = '';
server.stderr.on('data', (chunk) => {
  said += chunk;
  const [, url] = /The API is at (\S+),/.exec(said) ?? [];
  // The first request makes all functions load.
  if (url) fetch(`${url}/rooms`).catch(() => server.kill('SIGKILL'));
});
createInterface(server.stdout).on('line', (line) => {
  if (line.includes('"level":"error"')) said += line;
  if (line.includes('"functions loaded"')) server.kill('SIGTERM');
});
const timer = setTimeout(() => server.kill('SIGKILL'), 60_000);
const [code] = await once(server, 'close');
clearTimeout(timer);
rmSync(directory, { recursive: true, force: true });
// Does not fail the installation: the start of the server will report the error again.
if (code !== 0 || said.includes('"level":"error"'))
  process.stderr.write(`A trial start of the server with Node.js ${process.version} failed: ${said.trim()}\n`);
