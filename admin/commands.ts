import { scopes } from '../lib/api/scopes.ts';
import type { Command, Run } from './command.ts';

const yes = { yes: { type: 'boolean' } } as const;
const importUsage =
  '[--dry-run] [--map-by-email] [--usernames <file>] [--workspace <name>] [--left-out <file>] [--incomplete] [--yes]';
const importSummary =
  'May be repeated, also with a later archive: imported items stay as they are. With --dry-run it only counts. With --map-by-email, people whose e-mail address belongs to an account here get that account. Usernames for people here can come from a CSV file (--usernames). The option --workspace distinguishes the archives of several workspaces. Items that cannot be imported are written to a new file (--left-out). With --incomplete it imports the readable part of a truncated archive. Asks before it leaves out messages older than RETENTION_DAYS, unless --yes is given.';
const importOptions = {
  'dry-run': { type: 'boolean' },
  'map-by-email': { type: 'boolean' },
  workspace: { type: 'string' },
  'left-out': { type: 'string' },
  usernames: { type: 'string' },
  incomplete: { type: 'boolean' },
  ...yes,
} as const;
const newPassword = 'Asks for it, hidden and twice, or reads it from standard input.';

/**
 * Every command by its name, in the order of the overview. The code of a command is loaded when a
 * database is open.
 */
export const commands: Record<string, Command> = {
  'user list': { usage: '', summary: 'Lists the accounts, the oldest first.', operands: 0 },
  'user show': { usage: '<username>', summary: 'Shows an account.', operands: 1 },
  'user create': {
    usage: '<username> --email <email> [--admin] [--password-stdin]',
    summary: `Creates an account. ${newPassword}`,
    operands: 1,
    options: { email: { type: 'string' }, admin: { type: 'boolean' }, 'password-stdin': { type: 'boolean' } },
    required: ['email'],
    makesDatabase: true,
  },
  'user password': {
    usage: '<username> [--keep-tokens] [--password-stdin]',
    summary: `Changes an account's password; ends its sessions and, unless --keep-tokens is given, its named tokens. ${newPassword}`,
    operands: 1,
    options: { 'keep-tokens': { type: 'boolean' }, 'password-stdin': { type: 'boolean' } },
  },
  'user code': {
    usage: '<username>',
    summary: 'Prints a one-time password-reset link, valid for one hour (only the code if PUBLIC_URL is unset).',
    operands: 1,
  },
  'user 2fa-reset': {
    usage: '<username>',
    summary: "Turns off an account's second factor, after its owner has lost it; its passkeys and sessions end.",
    operands: 1,
  },
  'user promote': { usage: '<username>', summary: 'Makes an account an administrator.', operands: 1 },
  'user demote': { usage: '<username>', summary: 'Makes an administrator an ordinary user.', operands: 1 },
  'user deactivate': {
    usage: '<username>',
    summary: 'Deactivates an account: its sessions end, and its tokens do not work until it is active again.',
    operands: 1,
  },
  'user activate': { usage: '<username>', summary: 'Activates a deactivated account again.', operands: 1 },
  'user disconnect': {
    usage: '<username>',
    summary:
      'Disconnects an account from its identity at the identity provider. Ends its sessions and the memberships and administrator rights that it has from groups. Also deletes the invitations and webhooks that it created with those rights. Its tokens stay.',
    operands: 1,
  },
  'user hold': {
    usage: '<username>',
    summary: 'Keeps all messages of an account, however old they are, until the account is released.',
    operands: 1,
  },
  'user release': {
    usage: '<username>',
    summary: 'Ends a hold: messages of the account past their retention period are deleted again.',
    operands: 1,
  },
  'user limit': {
    usage: '<username> (--writes-per-second <number> | --default)',
    summary: "Sets an account's sustained messages and changes per second (bursts up to five times as many). For bots.",
    operands: 1,
    options: { 'writes-per-second': { type: 'string' }, default: { type: 'boolean' } },
  },
  'user unlimit': {
    usage: '<username>',
    summary:
      'Resets the rate limits of an account (changes, wrong logins, e-mails, conversations), so that its owner can continue immediately.',
    operands: 1,
  },
  'user export': {
    usage: '<username> <directory>',
    summary:
      'Exports all data of an account to a new directory: the account, its rooms, its messages with their files, its reactions, its sessions and its entries in the audit log.',
    operands: 2,
  },
  'user delete': {
    usage: '(<username> | <id>) [--with-messages] [--yes]',
    summary:
      'Permanently deletes an account. Its messages stay, as those of a deleted user, unless --with-messages is given. With --with-messages and the id of a deleted account, deletes the messages of that account. Asks first, unless --yes is given.',
    operands: 1,
    options: { 'with-messages': { type: 'boolean' }, ...yes },
  },
  'token list': {
    usage: '<username>',
    summary: "Lists an account's tokens and sessions, without their secrets.",
    operands: 1,
  },
  'token create': {
    usage: '<username> --name <name> [--scope <scope> ...] [--expires 90d] [--agent]',
    summary: `Creates a token for an account and prints it once. With --agent, its messages show the name of the token. It may do all that its user may, unless it is restricted to scopes, as a bot's must be: ${scopes.join(', ')}.`,
    operands: 1,
    options: {
      name: { type: 'string' },
      scope: { type: 'string', multiple: true },
      expires: { type: 'string' },
      agent: { type: 'boolean' },
    },
    required: ['name'],
  },
  'token revoke': {
    usage: '<id>',
    summary: 'Revokes a token or ends a session, immediately and without asking.',
    operands: 1,
    // For scripts that pass it to every command that removes something.
    options: yes,
  },
  'session list': { usage: '<username>', summary: "Lists an account's sessions, without their secrets.", operands: 1 },
  'session end': { usage: '<id>', summary: 'Ends a session, immediately and without asking.', operands: 1, options: yes },
  'bot create': {
    usage: '<username> [--owner <username>] [--name <name>] [--scope <scope> ...]',
    summary: `Creates a bot, which belongs to its owner or to the administrators, and prints a token for it once. Unless other scopes are given, it may read rooms, members and messages, and write messages. Scopes: ${scopes.join(', ')}.`,
    operands: 1,
    options: { owner: { type: 'string' }, name: { type: 'string' }, scope: { type: 'string', multiple: true } },
  },
  'bot list': { usage: '', summary: 'Lists the bots with their owners.', operands: 0 },
  'bot give': {
    usage: '<username> (--owner <username> | --to-administrators)',
    summary:
      'Transfers a bot to another owner, or to the administrators. Its tokens and commands are deleted, because the old owner knows their secrets.',
    operands: 1,
    options: { owner: { type: 'string' }, 'to-administrators': { type: 'boolean' } },
  },
  'room list': { usage: '', summary: 'Lists every room.', operands: 0 },
  'room create': {
    usage: '<name> --owner <username>',
    summary: 'Creates an open, visible room with one member, its owner.',
    operands: 1,
    options: { owner: { type: 'string' } },
    required: ['owner'],
  },
  'room archive': {
    usage: '<room>',
    summary: 'Archives a room: its messages stay readable, but neither messages nor members can be added.',
    operands: 1,
  },
  'room hold': {
    usage: '<room>',
    summary: 'Keeps all messages of a room, however old they are, until the room is released.',
    operands: 1,
  },
  'room release': {
    usage: '<room>',
    summary: 'Ends a hold: messages of the room past their retention period are deleted again.',
    operands: 1,
  },
  'room export': {
    usage: '(<room> | all) <directory> [--since <time>] [--before <time>]',
    summary:
      'Exports a room, or all of them, to a new directory: the members, and the messages with their files. With --since and --before, only the messages of that time: days such as 2026-01-31, or times in ISO 8601.',
    operands: 2,
    options: { since: { type: 'string' }, before: { type: 'string' } },
  },
  'room delete': {
    usage: '<room> [--yes]',
    summary: 'Permanently deletes a room with all its messages. Asks first, unless --yes is given.',
    operands: 1,
    options: yes,
  },
  'member list': { usage: '<room>', summary: 'Lists the members of a room.', operands: 1 },
  'member add': {
    usage: '<room> <username> [--role <role>]',
    summary: 'Makes a user a member of a room: as a member, unless another role is given (moderator, owner).',
    operands: 2,
    options: { role: { type: 'string' } },
  },
  'member role': {
    usage: '<room> <username> --role <role>',
    summary: 'Gives a member of a room another role: member, moderator or owner.',
    operands: 2,
    options: { role: { type: 'string' } },
    required: ['role'],
  },
  'member remove': {
    usage: '<room> <username> [--ban]',
    summary: 'Removes a member from a room; with --ban the user cannot come back.',
    operands: 2,
    options: { ban: { type: 'boolean' }, ...yes },
  },
  'ban list': { usage: '<room>', summary: 'Lists the users who are banned from a room.', operands: 1 },
  'ban lift': { usage: '<room> <username>', summary: 'Lets a banned user join a room again.', operands: 2 },
  'app create': {
    usage: '--name <name> --redirect-uri <uri> ...',
    summary: 'Registers an app that lacks a client metadata document, and prints its client id.',
    operands: 0,
    options: { name: { type: 'string' }, 'redirect-uri': { type: 'string', multiple: true } },
    required: ['name'],
  },
  'app list': { usage: '', summary: 'Lists the registered apps.', operands: 0 },
  'app remove': {
    usage: '<client id>',
    summary: 'Removes a registered app, and its access to all accounts.',
    operands: 1,
  },
  'push-key export': {
    usage: '',
    summary: 'Prints the key pair that identifies the service to push services. The private key is a secret.',
    operands: 0,
  },
  'push-key rotate': {
    usage: '',
    summary:
      'Creates another key pair for push notifications, for when the private key may be known to others. A device switches when its page is opened next. Until then, for at most 60 days, the old pair is used for it.',
    operands: 0,
  },
  setup: {
    usage: '',
    summary:
      'Prints a one-time link that creates the first administrator in the web client, valid for one day (only its path if PUBLIC_URL is unset).',
    operands: 0,
    makesDatabase: true,
  },
  'database check': {
    usage: '[--full]',
    summary:
      'Checks that no page of the embedded database is damaged, creates missing indexes, finishes interrupted deletions, and reports all of it. With --full it also checks each document and its index entries, in a copy.',
    operands: 0,
    options: { full: { type: 'boolean' } },
    takesDamaged: true,
  },
  'database acknowledge': {
    usage: '',
    summary:
      'Acknowledges that the embedded database lost data, so that the health check, the metrics and the overview stop reporting it. Damaged pages are still reported.',
    operands: 0,
    takesDamaged: true,
  },
  'database restored': {
    usage: '',
    summary:
      'Makes clients read everything again after a MongoDB cluster was restored from a backup. The embedded database and import do this themselves.',
    operands: 0,
  },
  backup: {
    usage: '<directory>',
    summary: 'Copies the embedded database, also while it runs, into a directory that does not exist yet, and checks the copy.',
    operands: 1,
    takesDamaged: true,
  },
  export: {
    usage: '(<file> | -) [--force] [--skip-damaged]',
    summary:
      'Exports everything, as one line of Extended JSON per document: to a file, or with - to standard output. Asks before it replaces a file, unless --force is given. With --skip-damaged it reads the files of a damaged embedded database itself, leaves out documents that cannot be read, and says how many.',
    operands: 1,
    options: { force: { type: 'boolean' }, 'skip-damaged': { type: 'boolean' } },
    takesDamaged: true,
    readsFiles: (options) => options['skip-damaged'] === true,
  },
  'audit export': {
    usage: '',
    summary: 'Writes the audit log to standard output, the oldest entry first, as one line of JSON per entry.',
    operands: 0,
  },
  'audit verify': {
    usage: '[--against <file>]',
    summary:
      'Checks that no entry of the audit log was changed, removed or added, and names the first wrong one. With --against it also compares the log with a file that audit export has written.',
    operands: 0,
    options: { against: { type: 'string' } },
  },
  'import slack': {
    usage: `<export.zip> [--token-file <file>] [--skip-unlisted] ${importUsage}`,
    summary: `Imports people, rooms and messages from a Slack export. With --token-file, a file with a token of the workspace, it also imports files. With --skip-unlisted, it skips folders of unlisted channels. ${importSummary}`,
    operands: 1,
    options: { ...importOptions, 'token-file': { type: 'string' }, 'skip-unlisted': { type: 'boolean' } },
    makesDatabase: true,
  },
  'import mattermost': {
    usage: `(<export.jsonl> | <export.zip>) ${importUsage}`,
    summary: `Imports people, rooms, messages and files from a bulk export of Mattermost. ${importSummary}`,
    operands: 1,
    options: importOptions,
    makesDatabase: true,
  },
  'import zulip': {
    usage: `(<export.tar.gz> | <directory>) ${importUsage}`,
    summary: `Imports people, channels, messages and files from the export of a Zulip organisation. ${importSummary}`,
    operands: 1,
    options: importOptions,
    makesDatabase: true,
  },
  'import rocketchat': {
    usage: `(<directory> | <dump.tar.gz>) ${importUsage}`,
    summary: `Imports people, rooms, messages and files from a mongodump of Rocket.Chat's database. ${importSummary}`,
    operands: 1,
    options: importOptions,
    makesDatabase: true,
  },
  'import list': {
    usage: '',
    summary: 'Lists the imports of other chats, with their names for the commands below.',
    operands: 0,
  },
  'import undo': {
    usage: '<name> [--dry-run] [--yes]',
    summary:
      'Undoes an import of another chat. Deletes its messages, its rooms without later messages, and its unused accounts. Messages that people have written since stay. Asks first, unless --yes is given.',
    operands: 1,
    options: { 'dry-run': { type: 'boolean' }, ...yes },
  },
  'import invite': {
    usage: '<name> (--mail [--again] | --to <file>) [--days <number>]',
    summary:
      'Creates links for the people of an import to take over their accounts, unless they already have. Sends the links by e-mail, or writes them to a new CSV file. They are valid for 7 days, unless --days is given. Skips people with a valid link, unless --again is given.',
    operands: 1,
    options: { mail: { type: 'boolean' }, again: { type: 'boolean' }, to: { type: 'string' }, days: { type: 'string' } },
  },
  import: {
    usage: '<file>',
    summary: 'Imports everything from an exported file; each document replaces the one with the same id. May be repeated.',
    operands: 1,
    makesDatabase: true,
  },
};

const loaders: Record<string, () => Promise<Record<string, Run>>> = {
  user: async () => (await import('./commands/user.ts')).userCommands,
  token: async () => (await import('./commands/token.ts')).tokenCommands,
  session: async () => (await import('./commands/token.ts')).tokenCommands,
  bot: async () => (await import('./commands/bot.ts')).botCommands,
  room: async () => (await import('./commands/room.ts')).roomCommands,
  member: async () => (await import('./commands/member.ts')).memberCommands,
  ban: async () => (await import('./commands/member.ts')).memberCommands,
  app: async () => (await import('./commands/app.ts')).appCommands,
  'push-key': async () => (await import('./commands/push-key.ts')).pushKeyCommands,
  setup: async () => (await import('./commands/user.ts')).userCommands,
  database: async () => (await import('./commands/database.ts')).databaseCommands,
  backup: async () => (await import('./commands/database.ts')).databaseCommands,
  export: async () => (await import('./commands/transfer.ts')).transferCommands,
  audit: async () => (await import('./commands/audit.ts')).auditCommands,
  import: async () => ({
    ...(await import('./commands/transfer.ts')).transferCommands,
    ...(await import('./commands/import.ts')).importCommands,
    ...(await import('./commands/imported.ts')).importedCommands,
  }),
};

/** Loads the code of a command. */
export async function loadRun(name: string): Promise<Run> {
  const run = (await loaders[name.split(' ')[0] ?? '']?.())?.[name];
  if (!run) throw new Error(`The command '${name}' is not implemented.`);
  return run;
}
