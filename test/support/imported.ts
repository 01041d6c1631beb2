import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Message } from '../../lib/messages/messages.ts';
import { config } from '../../lib/settings/config.ts';
import { type Account, anAdmin, logIn } from './accounts.ts';
import { everyPage } from './rooms.ts';
import { admin as command } from './run-command.ts';
import { inProcess as call } from './transports.ts';

/* Helpers for tests of imports: a directory for archives, and functions to read imported data. */

export const directory = await mkdtemp(join(tmpdir(), 'chat-import-'));

const admins = new Map<string, Promise<Account>>();

/** An administrator in the database of the test file. */
function findAdmin(): Promise<Account> {
  const admin = admins.get(config.mongodbDatabase) ?? anAdmin();
  admins.set(config.mongodbDatabase, admin);
  return admin;
}

export const admin = await findAdmin();

/** Reads a path of the API, by default as an administrator. */
export async function read(path: string, token?: string): Promise<unknown> {
  const reply = await call('GET', path, { token: token ?? (await findAdmin()).token });
  expect(reply.status).toBe(200);
  return reply.body;
}

/**
 * The id of the room with this unique name; empty if it does not exist. Each page of the directory
 * reads only some rooms.
 */
export const roomNamed = async (name: string): Promise<string> =>
  (await everyPage(call, `/api/directory?q=${encodeURIComponent(name)}`, (await findAdmin()).token))[0]?._id.$oid ?? '';

/** The messages of a room, by its id. */
export const historyIn = async (room: string, token?: string) =>
  (await read(`/api/messages?room=${room}&limit=200`, token)) as Message[];

/** The messages of a room, by its name. */
export const historyOf = async (name: string) => historyIn(await roomNamed(name));

/** Signs in as an imported person, with a code from an administrator. */
export async function claim(username: string): Promise<Account> {
  const { code } = JSON.parse((await command(['user', 'code', username, '--json'])).stdout);
  const password = 'a horse, a battery';
  expect((await call('PUT', '/api/password', { body: { code, password } })).status).toBeLessThan(300);
  const { status, body } = await logIn(call, username, password);
  expect(status).toBe(201);
  const { token, user } = body as { token: string; user: { _id: { $oid: string } } };
  return { id: user?._id.$oid ?? '', username, email: '', password, token };
}
