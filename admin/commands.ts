import { scopes } from '../lib/api/scopes.ts';
import type { Command, Run } from './command.ts';

const yes = { yes: { type: 'boolean' } } as const;
const importUsage =
  '[--dry-run] [--map-by-email] [--usernames <file>] [--workspace <name>] [--left-out <file>] [--incomplete] [--yes]';
const importSummary =
  'May be repeated, also with a later archive: what is there already stays as it is. With --dry-run it counts what would come over; with --map-by-email, people with the e-mail address of an account here are that account; --usernames names a file of CSV with usernames that people get here; --workspace tells the archives of several workspaces apart; --left-out names a new file for what does not come over; --incomplete imports what a cut-off archive has. Asks, unless --yes is given, before it leaves out messages that are older than RETENTION_DAYS.';
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
      'Parts an account from the person at the identity provider who signs in to it: its sessions and what groups gave end, with the invitations and webhooks that it made as an administrator by them; its tokens stay.',
    operands: 1,
  },
  'user hold': {
    usage: '<username>',
    summary: 'Keeps all messages of an account, however old they are, until the account is released.',
    operands: 1,
  },
  'user release': {
    usage: '<username>',
    summary: 'Ends a hold: messages of the account that are older than they are kept are deleted again.',
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
      'Forgets what was counted against an account (changes, wrong logins, e-mails, conversations): its owner may go on immediately.',
    operands: 1,
  },
  'user export': {
    usage: '<username> <directory>',
    summary:
      'Exports all that the service has of an account to a new directory: the account, its rooms, its messages with their files, reactions, sessions and entries of the audit trail.',
    operands: 2,
  },
  'user delete': {
    usage: '(<username> | <id>) [--with-messages] [--yes]',
    summary:
      'Permanently deletes an account; its messages stay, as those of a deleted user, unless --with-messages is given. With that, the messages of an account that was deleted before can be deleted by its id. Asks first, unless --yes is given.',
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
      'Gives a bot to another owner, or to the administrators; its tokens and commands end, because the earlier owner knows their secrets.',
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
    summary: 'Ends a hold: messages of the room that are older than they are kept are deleted again.',
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
  'ban list': { usage: '<room>', summary: 'Lists who is banned from a room.', operands: 1 },
  'ban lift': { usage: '<room> <username>', summary: 'Lets a banned user join a room again.', operands: 2 },
  'push-key export': {
    usage: '',
    summary: 'Prints the key pair by which push services know the service. The private key is a secret.',
    operands: 0,
  },
  'push-key rotate': {
    usage: '',
    summary:
      'Makes another key pair for push notifications, after the private key may have become known. Devices follow when their page is opened next; until then, for 60 days, the earlier pair is used for them.',
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
      'Acknowledges that the embedded database lost data: the health check, the metrics and the overview no longer report it. Damaged pages are reported as long as there are some.',
    operands: 0,
    takesDamaged: true,
  },
  'database restored': {
    usage: '',
    summary:
      'Has clients read everything again, after a MongoDB cluster was restored from a backup. The embedded database and import need no such command.',
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
    summary: 'Writes the audit trail to standard output, the oldest entry first, as one line of JSON per entry.',
    operands: 0,
  },
  'audit verify': {
    usage: '[--against <file>]',
    summary:
      'Checks that no entry of the audit trail was changed, removed or added, and names the first one that was. With --against it also compares the trail with a file that audit export has written.',
    operands: 0,
    options: { against: { type: 'string' } },
  },
  'import slack': {
    usage: `<export.zip> [--token-file <file>] [--skip-unlisted] ${importUsage}`,
    summary: `Imports people, rooms and messages from an archive that Slack has exported; with --token-file, a file with a token of the workspace, also the files; with --skip-unlisted, without folders that belong to no listed channel. ${importSummary}`,
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
    summary: `Imports people, rooms, messages and files from what mongodump has written of Rocket.Chat's database. ${importSummary}`,
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
      'Undoes an import of another chat: its messages, its rooms in which nobody has written since, and its accounts that nobody has used are deleted. What people have written stays. Asks first, unless --yes is given.',
    operands: 1,
    options: { 'dry-run': { type: 'boolean' }, ...yes },
  },
  'import invite': {
    usage: '<name> (--mail [--again] | --to <file>) [--days <number>]',
    summary:
      'Makes links by which the people of an import get their accounts, for all who have not used theirs: sends them by e-mail, or writes them to a new file of CSV. They are valid for 7 days, unless --days is given. Without --again, nobody gets a second e-mail whose link is still valid.',
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
  if (!run) throw new Error(`The command '${name}' is not carried out by anything.`);
  return run;
}
