import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { launchDatabase } from '../launch.ts';
import { uriOf } from '../src/protocol/address.ts';
import { startDatabase } from '../src/server.ts';
import { readHolder } from '../src/storage/file/holder.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

const execScript = fileURLToPath(new URL('../bin/exec.ts', import.meta.url));
const tellUri = 'console.log(process.env.MONGODB_URI)';
const waitForever = 'console.log("waiting"); setInterval(() => {}, 1000)';

describe('bin/exec.ts', () => {
  it('bin/exec.ts starts a database for its command and closes it afterwards', async () => {
    const dataDir = freshDirectory();
    const { code, output } = await withDatabase(dataDir, tellUri).ended;
    expect({ code, output }).toEqual({
      code: 0,
      output: `${uriOf(join(dataDir, 'database.sock'))}\n`,
    });
    expect(readHolder(dataDir)).toBeUndefined();
  });

  it('bin/exec.ts joins the database that already runs in the directory and leaves it running', async () => {
    const dataDir = freshDirectory();
    const { uri } = await freshDatabase({ dataDir });
    expect(await withDatabase(dataDir, tellUri).ended).toEqual({ code: 0, output: `${uri}\n` });
    expect(await connect(uri).db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it('bin/exec.ts starts a database for its command if holder.json names a process that no longer holds the directory', async () => {
    const dataDir = freshDirectory();
    await (await startDatabase({ dataDir })).close();
    const stale = 'mongodb://127.0.0.1:9/';
    writeFileSync(join(dataDir, 'holder.json'), JSON.stringify({ pid: process.pid, uri: stale }));
    const { code, output } = await withDatabase(dataDir, tellUri).ended;
    expect(code).toBe(0);
    expect(output).not.toContain(stale);
  });

  it('bin/exec.ts uses the address in MONGODB_URI if there is one', async () => {
    const dataDir = freshDirectory();
    const { ended } = withDatabase(dataDir, tellUri, { MONGODB_URI: 'mongodb://elsewhere' });
    expect(await ended).toEqual({ code: 0, output: 'mongodb://elsewhere\n' });
  });

  it('bin/exec.ts exits with the status of its command', async () => {
    expect(await withDatabase(freshDirectory(), 'process.exit(7)').ended).toMatchObject({ code: 7 });
  });

  it('bin/exec.ts passes SIGTERM to its command and closes the database after it', async () => {
    const dataDir = freshDirectory();
    const { process: wrapper, ended } = withDatabase(dataDir, waitForever);
    await once(wrapper.stdout, 'data');
    wrapper.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 128 + 15 });
    expect(readHolder(dataDir)).toBeUndefined();
  });
});

describe('a database in a process of its own', () => {
  it('a database in a process of its own has released its directory when closeNow returns', async () => {
    const dataDir = freshDirectory();
    const first = await launchDatabase({ dataDir });
    const things = connect(first.uri).db('test').collection('things');
    await things.insertOne({ name: 'kept' });
    first.closeNow();
    expect(readHolder(dataDir)).toBeUndefined();
    const { uri } = await freshDatabase({ dataDir });
    expect(await connect(uri).db('test').collection('things').findOne()).toMatchObject({ name: 'kept' });
  });

  it('a database in a process of its own delays the start of the next one until it has ended', async () => {
    const dataDir = freshDirectory();
    const first = await launchDatabase({ dataDir });
    const second = launchDatabase({ dataDir });
    await first.close();
    const { uri, close } = await second;
    expect(await connect(uri).db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await close();
  });
});

function withDatabase(dataDir: string, script: string, environment: NodeJS.ProcessEnv = {}) {
  const { MONGODB_URI: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [execScript, process.execPath, '-e', script], {
    env: { ...inherited, DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, output }));
  return { process: child, ended };
}
