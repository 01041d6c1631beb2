import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDirectory } from './support/database.ts';
import { whyNoStrace } from './support/strace.ts';
import { databaseFileName } from './support/victim.ts';
import { connectWire } from './support/wire-client.ts';

/** The file descriptor on which the database announces that it is ready. */
const stdoutNumber = '1';
const hindrance = whyNoStrace();

/* After a power cut, a synced file may be lost if its directory was not synced. */
describe(`the first acknowledgement${hindrance ? ` (skipped: ${hindrance})` : ''}`, () => {
  it.runIf(hindrance === undefined)('the first acknowledgement comes after the log and the names of all new files', async () => {
    const parent = freshDirectory();
    const dataDir = join(parent, 'new', 'data');
    const calls = await traced(parent, dataDir, { insert: 'things', documents: [{ _id: 1 }] });
    const log = join(dataDir, 'database.sqlite-wal');
    const [created, written, acknowledged] = [
      calls.indexOf(`create ${log}`),
      calls.lastIndexOf(`write ${log}`),
      calls.indexOf('answer'),
    ];
    const synced = (path: string, since: number) => calls.slice(since, acknowledged).includes(`sync ${path}`);
    expect({ created: created >= 0, written: written > created, acknowledged: acknowledged > written }).toEqual({
      created: true,
      written: true,
      acknowledged: true,
    });
    expect(synced(log, written)).toBe(true);
    expect(synced(dataDir, created)).toBe(true);
    expect(synced(join(parent, 'new'), calls.indexOf(`mkdir ${dataDir}`))).toBe(true);
    expect(synced(parent, calls.indexOf(`mkdir ${join(parent, 'new')}`))).toBe(true);
  });

  it.runIf(hindrance === undefined)(
    'the first acknowledgement after a crash waits for the sync of the log that the crash left',
    async () => {
      const dataDir = freshDirectory();
      await traced(dataDir, dataDir, { insert: 'things', documents: [{ _id: 1 }] });
      const calls = await traced(dataDir, dataDir, { find: 'things' });
      const log = join(dataDir, 'database.sqlite-wal');
      expect(calls.slice(calls.lastIndexOf(`write ${log}`), calls.indexOf('answer'))).toContain(`sync ${log}`);
      expect(calls).toContain(`write ${log}`);
    },
  );
});

describe(`a write that asks for no sync (j: false)${hindrance ? ` (skipped: ${hindrance})` : ''}`, () => {
  it.runIf(hindrance === undefined)(
    'a write that asks for no sync is answered once it is in the log, and synced by the next write that asks for it',
    async () => {
      const dataDir = freshDirectory();
      const writeConcern = { w: 'majority', j: false };
      const unsynced = { insert: 'things', documents: [{ _id: 2 }], writeConcern };
      const synced = { insert: 'things', documents: [{ _id: 3 }] };
      const calls = await traced(dataDir, dataDir, { insert: 'things', documents: [{ _id: 1 }] }, unsynced, synced);
      const log = join(dataDir, 'database.sqlite-wal');
      const answers = calls.flatMap((call, at) => (call === 'answer' ? [at] : [])).slice(-3);
      // The mark of the synced length is written without a sync.
      const own = (call: string) => !call.endsWith('/database.sums');
      const between = (from: number) => new Set(calls.slice(answers[from], answers[from + 1]).filter(own));
      expect(between(0)).toEqual(new Set(['answer', `write ${log}`]));
      expect(between(1)).toEqual(new Set(['answer', `write ${log}`, `sync ${log}`]));
    },
  );
});

/** Runs commands on a database and kills it. Returns its system calls in order. */
async function traced(parent: string, dataDir: string, ...commands: Record<string, unknown>[]): Promise<string[]> {
  const output = join(parent, `strace-${Object.keys(commands[0] ?? {})[0]}`);
  const events = 'trace=mkdir,openat,fsync,fdatasync,pwrite64,write,writev';
  const args = ['-f', '-y', '-s', '0', '-e', events, '-o', output, process.execPath, databaseFileName, '--data-dir', dataDir];
  const strace = spawn('strace', args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const ended = once(strace, 'exit');
  // The process group consists of strace and the database.
  const kill = () => strace.exitCode ?? strace.signalCode ?? process.kill(-(strace.pid as number), 'SIGKILL');
  onTestFinished(() => void kill());
  const [uri] = await once(createInterface(strace.stdout), 'line');
  const client = await connectWire(uri);
  for (const command of commands) expect(await client.command('test', command)).toMatchObject({ ok: 1 });
  client.close();
  kill();
  await ended;
  return readFileSync(output, 'utf8').split('\n').flatMap(eventOf);
}

/** Parses lines such as `12345 fsync(24</data/database.sqlite-wal>) = 0`. */
function eventOf(line: string): string[] {
  const [, call, rest = ''] = /^\d+ +(\w+)\((.*)/.exec(line) ?? [];
  const [, descriptor, file = ''] = /^(\d+)<([^>]*)>/.exec(rest) ?? [];
  const quoted = /"([^"]*)"/.exec(rest)?.[1] ?? '';
  switch (call) {
    case 'mkdir':
      return [`mkdir ${quoted}`];
    case 'openat':
      return rest.includes('O_CREAT') ? [`create ${quoted}`] : [];
    case 'fsync':
    case 'fdatasync':
      return [`sync ${file}`];
    case 'pwrite64':
      return [`write ${file}`];
    case 'write':
    case 'writev':
      // Threads of a process occasionally wake each other by an event.
      if (file === 'anon_inode:[eventfd]') return [];
      return [file.startsWith('socket') && descriptor !== stdoutNumber ? 'answer' : `write ${file}`];
  }
  return [];
}
