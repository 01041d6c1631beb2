import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DatabaseOptions, startDatabase } from '../src/server.ts';
import { readHolder } from '../src/storage/file/holder.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

const serveScript = fileURLToPath(new URL('../bin/serve.ts', import.meta.url));

describe('the files of a database', () => {
  it('the files of a database are accessible only to their owner with any umask: also the log, the socket, holder.json and a copy', async () => {
    const parent = freshDirectory();
    const dataDir = join(parent, 'data');
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const { uri } = await freshDatabase({ dataDir });
    const client = connect(uri);
    await client.db('test').collection('things').insertOne({ secret: true });
    await client.db('admin').command({ backup: 1, directory: join(parent, 'copies', 'first') });
    expect(modes(dataDir)).toEqual({
      '.': '700',
      'database.sock': '600',
      'database.sqlite': '600',
      'database.sqlite-wal': '600',
      'database.sums': '600',
      'holder.json': '600',
    });
    expect(modes(join(parent, 'copies', 'first'))).toEqual({ '.': '700', 'database.sqlite': '600' });
    expect(modes(join(parent, 'copies'))['.']).toBe('700');
  });

  it('the files of a database become inaccessible to others where an earlier version left them readable', async () => {
    const dataDir = join(freshDirectory(), 'data');
    await (await startDatabase({ dataDir })).close();
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, 'database.sqlite'), 0o644);
    await freshDatabase({ dataDir });
    expect(modes(dataDir)).toMatchObject({ '.': '700', 'database.sqlite': '600' });
  });

  it('the files of a database do not restrict the access to a directory that holds other things', async () => {
    const dataDir = freshDirectory();
    chmodSync(dataDir, 0o755);
    writeFileSync(join(dataDir, 'notes.txt'), '');
    await freshDatabase({ dataDir });
    expect(modes(dataDir)).toMatchObject({ '.': '755', 'database.sqlite': '600', 'database.sock': '600' });
  });
});

describe('a deleted document', () => {
  it('a deleted document does not stay in the file', async () => {
    const dataDir = freshDirectory();
    const first = await startDatabase({ dataDir });
    const documents = Array.from({ length: 20 }, (_, n) => ({ n, text: `secret number ${n}` }));
    await connect(first.uri).db('test').collection('things').insertMany(documents);
    await first.close();
    const second = await startDatabase({ dataDir });
    await connect(second.uri).db('test').collection('things').deleteOne({ n: 7 });
    await second.close();
    const bytes = readFileSync(join(dataDir, 'database.sqlite'), 'latin1');
    expect(bytes).toContain('secret number 8');
    expect(bytes).not.toContain('secret number 7');
  });
});

describe('a database', () => {
  it('a database has a port only on request, and makes no copy through it', async () => {
    const dataDir = freshDirectory();
    expect((await freshDatabase()).port).toBeUndefined();
    const { port } = await freshDatabase({ dataDir, port: 0 });
    const admin = connect(`mongodb://127.0.0.1:${port}/?directConnection=true`).db('admin');
    expect(await admin.command({ hello: 1 })).toMatchObject({ me: `127.0.0.1:${port}` });
    await expect(admin.command({ backup: 1, directory: join(dataDir, 'copy') })).rejects.toMatchObject({ code: 13 });
    expect(existsSync(join(dataDir, 'copy'))).toBe(false);
  });

  it('a database answers in a private temporary directory where its own path is too long for a socket', async () => {
    const dataDir = join(freshDirectory(), 'long'.repeat(30), 'data');
    const first = await startDatabase({ dataDir });
    const socket = socketOf(first.uri);
    onTestFinished(() => rmSync(dirname(socket), { recursive: true, force: true }));
    expect(socket.startsWith(tmpdir())).toBe(true);
    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103);
    expect(modes(dirname(socket))).toEqual({ '.': '700', 'database.sock': '600' });
    expect(await connect(first.uri).db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(readHolder(dataDir)?.uri).toBe(first.uri);
    await first.close();
    expect((await freshDatabase({ dataDir })).uri).toBe(first.uri);
  });

  it('a database does not answer in a temporary directory that somebody else has prepared', async () => {
    const dataDir = join(freshDirectory(), 'long'.repeat(30), 'data');
    const first = await startDatabase({ dataDir });
    const expected = dirname(socketOf(first.uri));
    await first.close();
    rmSync(expected, { recursive: true });
    mkdirSync(expected);
    chmodSync(expected, 0o777);
    const { uri } = await freshDatabase({ dataDir });
    onTestFinished(() => {
      rmSync(expected, { recursive: true });
      rmSync(dirname(socketOf(uri)), { recursive: true, force: true });
    });
    expect(dirname(socketOf(uri))).not.toBe(expected);
    expect(modes(dirname(socketOf(uri)))['.']).toBe('700');
  });

  it('a database replaces a socket that a killed process left', async () => {
    const dataDir = freshDirectory();
    const child = spawn(process.execPath, [serveScript, '--data-dir', dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(lstatSync(join(dataDir, 'database.sock')).isSocket()).toBe(true);
    const { uri } = await freshDatabase({ dataDir });
    expect(await connect(uri).db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  });
});

describe('a start that fails', () => {
  it('a start that fails after the socket is open leaves no socket, no lock and no process', async () => {
    const dataDir = freshDirectory();
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const port = String((taken.address() as { port: number }).port);
    const child = spawn(process.execPath, [serveScript, '--data-dir', dataDir, '--port', port]);
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(said).toBe(`Port ${port} of 127.0.0.1 is taken: set DATABASE_PORT to another.\n`);
    expect(existsSync(join(dataDir, 'database.sock'))).toBe(false);
    await freshDatabase({ dataDir });
  });

  it('a start that fails because it cannot be announced leaves no database that answers', async () => {
    const dataDir = freshDirectory();
    const note = join(dataDir, 'holder.json');
    const intercept: DatabaseOptions['intercept'] = (handle) => {
      // A directory cannot be written to as a file.
      rmSync(note);
      mkdirSync(note);
      return handle;
    };
    await expect(startDatabase({ dataDir, intercept })).rejects.toThrow('EISDIR');
    const client = new MongoClient(`mongodb://${encodeURIComponent(join(dataDir, 'database.sock'))}/?directConnection=true`, {
      serverSelectionTimeoutMS: 200,
    });
    await expect(client.connect()).rejects.toThrow('ENOENT');
    await client.close();
    rmSync(note, { recursive: true });
    await freshDatabase({ dataDir });
  });

  it.for(['x', '70000', '-1', '1.5'])('a start that fails because of an invalid port says what a port is: %s', async (port) => {
    const child = spawn(process.execPath, [serveScript, '--data-dir', freshDirectory(), `--port=${port}`]);
    const [said] = await once(child.stderr, 'data');
    expect(String(said)).toBe(`Set DATABASE_PORT to a port from 0 to 65535, not '${port}'.\n`);
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});

function socketOf(uri: string): string {
  return decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(uri)?.[1] ?? '');
}

/** The permissions of a directory and its entries, in octal. */
function modes(directory: string): Record<string, string> {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const entries = readdirSync(directory).map((name) => [name, modeOf(join(directory, name))]);
  return { '.': modeOf(directory), ...Object.fromEntries(entries) };
}
