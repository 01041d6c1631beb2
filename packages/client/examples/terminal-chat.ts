/*
 * A chat in a terminal:
 *
 *   CHAT_URL=https://chat.example.org CHAT_TOKEN=... node terminal-chat.ts General
 *
 * Without CHAT_TOKEN it asks for a username and a password. Each line that you type is sent to the
 * room. /rooms lists the rooms, /room NAME changes to another one, and /quit ends the program.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatError, createChatClient, type Member, type Message, unwrap } from 'chat-service-client';

const { CHAT_URL: baseUrl = 'http://localhost:3000', CHAT_TOKEN } = process.env;
const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
let isSecret = false;
const output = new Writable({
  write: (chunk, _encoding, done) => {
    if (!isSecret) process.stdout.write(chunk);
    done();
  },
});
let shown = new Set<string>();
let typing: NodeJS.Timeout | undefined;
let sending = Promise.resolve();
// Lines that are typed before all rooms are followed wait for that.
const begun = Promise.withResolvers<void>();
let reading = begun.promise;

const terminal = createInterface({ input: process.stdin, output, terminal: isTerminal, prompt: '> ' });
const token = CHAT_TOKEN ?? (await logIn());
terminal.on('line', (line) => {
  reading = reading.then(() => read(line.trim()));
});
terminal.on('close', () => process.exit());
const chat = createChatClient({ baseUrl, token });

const nameOf = ({ room_name, others = [] }: Member) => room_name || others.map(({ username }) => username).join(', ');
const myRooms = () => unwrap(chat.GET('/api/members', { params: { query: { user: 'me', limit: 200 } } }));
const findRoom = async (name: string) => (await myRooms()).find((one) => name === '' || nameOf(one) === name);

const first = await findRoom(process.argv.slice(2).join(' '));
if (!first) throw new Error('You are not in such a room. A browser shows the open ones, and so does GET /api/directory.');
let room = first.room.$oid;

// The feed's position is read before the messages, so that events in between are seen twice rather
// than never.
const { response } = await chat.GET('/api/events', { params: { query: { room } } });
const news = chat.live({
  after: { [room]: response.headers.get('X-Next-Cursor') ?? 0 },
  onState: ({ state }) => {
    print(state === 'live' ? '* connected' : '* the service is out of reach');
    if (state === 'live') begun.resolve();
  },
});
await showHistory();
process.stdin.on('keypress', () => terminal.line !== '' && news.typing(room));
prompt();

for await (const one of news) {
  // Presence, which this program does not watch.
  if (!('room' in one)) continue;
  const isHere = one.room.$oid === room;
  if (one.type === 'reset') {
    if (!isHere) continue;
    print('* the service was restored from a backup; this is what it has:');
    await showHistory();
    continue;
  }
  if (one.type === 'message.created') {
    if (isHere) showMessage(one.data);
    else print(`* ${one.data.username} says something in another room`);
  } else if (!isHere) continue;
  else if (one.type === 'message.edited' && one.data) print(`* ${one.data.username} now says: ${one.data.text}`);
  else if (one.type === 'typing') showTyping(one.username);
  else if (one.type === 'left') print('* you are no longer in this room');
}

async function logIn(): Promise<string> {
  const username = await terminal.question('Username: ');
  const asked = terminal.question('Password: ');
  isSecret = true;
  const password = await asked;
  isSecret = false;
  console.log();
  const session = await unwrap(createChatClient({ baseUrl }).POST('/api/sessions', { body: { username, password } }));
  return session.token ?? '';
}

async function read(line: string): Promise<void> {
  prompt();
  if (line === '/quit') process.exit();
  else if (line === '/rooms') for (const one of await myRooms()) print(`* ${nameOf(one)}: ${one.unread} unread`);
  else if (line.startsWith('/room ')) await goTo(line.slice(6));
  else if (line !== '') say(room, line);
}

async function goTo(name: string): Promise<void> {
  const found = await findRoom(name);
  if (!found) return print('* you are not in such a room');
  room = found.room.$oid;
  await showHistory();
}

async function showHistory(): Promise<void> {
  shown = new Set();
  for (const message of await unwrap(chat.GET('/api/messages', { params: { query: { room, limit: 20 } } }))) showMessage(message);
}

/** Sends one message after the other, and each once: a retry has the key of the first attempt. */
function say(to: string, text: string): void {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const send = async () => {
    for (;;)
      try {
        await unwrap(chat.POST('/api/messages', { params, body: { room: to, text } }));
        return;
      } catch (error) {
        if (error instanceof ChatError && !error.isTemporary) return print(`* not sent: ${error.message}`);
        await delay(1_000);
      }
  };
  sending = sending.then(send);
}

function showMessage({ _id, username, text, deleted_at }: Message): void {
  if (shown.has(_id.$oid)) return;
  shown.add(_id.$oid);
  print(deleted_at ? `${username} has deleted this message` : `${username}: ${text}`);
}

function showTyping(username: string): void {
  clearTimeout(typing);
  terminal.setPrompt(`(${username} is typing) > `);
  prompt();
  typing = setTimeout(() => {
    terminal.setPrompt('> ');
    prompt();
  }, 6_000);
}

/**
 * Prints above the line that is being typed. Control characters are replaced, because other users'
 * messages must not control the terminal.
 */
function print(text: string): void {
  if (isTerminal) process.stdout.write('\r\x1b[K');
  console.log(text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd'));
  prompt();
}

function prompt(): void {
  if (isTerminal) terminal.prompt(true);
}
