import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readParameters } from '../lib/api/parameters.ts';
import { newPassword } from '../lib/credentials/password-policy.ts';
import type { Streams } from './command.ts';

/**
 * Reads a new password from standard input or, hidden and twice, from a terminal. Arguments are
 * visible to other users.
 */
export async function askPassword(fromStandardInput: boolean, streams: Streams): Promise<string> {
  const typed = fromStandardInput ? await readLine(streams) : await typeTwice(streams);
  return readParameters({ password: newPassword }, { password: typed }).password;
}

const readLine = async ({ stdin }: Streams) => (await text(stdin)).split(/\r?\n/, 1)[0];

async function typeTwice(streams: Streams): Promise<string> {
  if (!streams.stdin.isTTY) throw new Error('Type the password at a terminal, or pipe it in with --password-stdin.');
  const first = await typeHidden('Password: ', streams);
  readParameters({ password: newPassword }, { password: first });
  if ((await typeHidden('Once more: ', streams)) !== first)
    throw new Error('The two passwords are not the same: nothing was changed.');
  return first;
}

async function typeHidden(prompt: string, { stdin, stderr }: Streams): Promise<string> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: discard, terminal: true });
  const interrupted = new Promise<never>((_resolve, reject) => {
    terminal.once('SIGINT', () => reject(new Error('Interrupted: nothing was changed.')));
    terminal.once('close', () => reject(new Error('No password was typed: nothing was changed.')));
  });
  stderr.write(prompt);
  try {
    return await Promise.race([terminal.question(''), interrupted]);
  } finally {
    interrupted.catch(() => {}); // Closing the terminal below also rejects it.
    terminal.close();
    stderr.write('\n');
  }
}
