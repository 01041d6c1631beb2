import { parseArgs } from 'node:util';
import { explainFailure } from '../lib/errors.ts';
import { noteCommand } from './audit.ts';
import { type Command, required, UsageError } from './command.ts';
import { openDatabase } from './database.ts';

/** The administrators' command line: finds the command, runs it, and reports its result in one sentence and an exit status. */
async function main(words: string[]): Promise<number> {
  // Imported late, so that a setting with an unusable value is reported like any other mistake.
  const { commands } = await import('./commands.ts');
  const name = Object.keys(commands).find((candidate) => candidate === words.slice(0, candidate.split(' ').length).join(' '));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) return showOverview(words, commands);
  return run(name, command, words.slice(name.split(' ').length));
}

/** Says which commands there are: all, or those that begin with the same word. */
function showOverview(words: string[], commands: Record<string, Command>): number {
  const isHelp = words.length === 0 || words.some((word) => word === '--help' || word === '-h' || word === 'help');
  const group = Object.keys(commands).filter((name) => name.startsWith(`${words[0]} `));
  const names = group.length > 0 ? group : Object.keys(commands);
  if (!isHelp) process.stderr.write(`There is no command '${words.join(' ')}'.\n`);
  process[isHelp ? 'stdout' : 'stderr'].write(overviewOf(names, commands));
  return isHelp ? 0 : 2;
}

async function run(name: string, command: Command, words: string[]): Promise<number> {
  try {
    const { values, positionals } = parse(command, words);
    if (values.help) {
      process.stdout.write(`${usageOf(name, command)}\n${command.summary}\n`);
      return 0;
    }
    const { data, text, isNote } = await withDatabase(command, async () => {
      const { loadRun } = await import('./commands.ts');
      const work = await loadRun(name);
      return noted(name, words, () => work(positionals, values));
    });
    (isNote ? process.stderr : process.stdout).write(`${values.json ? JSON.stringify(data) : text}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n${usageOf(name, command)}`);
    return 2;
  }
}

async function withDatabase<T>(command: Command, work: () => Promise<T>): Promise<T> {
  const database = await openDatabase(command.makesDatabase === true);
  try {
    const { prepareDatabase, closeDatabase } = await import('../lib/prepare.ts');
    try {
      await prepareDatabase();
      return await work();
    } finally {
      await closeDatabase();
    }
  } finally {
    await database.close();
  }
}

async function noted<T>(name: string, words: string[], work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    noteCommand(name, words, 'done');
    return result;
  } catch (error) {
    noteCommand(name, words, 'failed');
    throw error;
  }
}

function parse(command: Command, words: string[]) {
  try {
    const options = { ...command.options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    const parsed = parseArgs({ args: words, options, allowPositionals: true });
    if (!parsed.values.help && parsed.positionals.length !== command.operands) {
      throw new UsageError(
        parsed.positionals.length < command.operands ? 'An argument is missing.' : 'There are too many arguments.',
      );
    }
    if (!parsed.values.help) for (const name of command.required ?? []) required(parsed.values, name);
    return parsed as { values: Record<string, string | boolean | string[] | undefined>; positionals: string[] };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const prefix = 'npm run --silent admin --';

const usageOf = (name: string, { usage }: Command) => `Usage:\n  ${prefix} ${name} ${usage}`.trimEnd().concat('\n');

function overviewOf(names: string[], commands: Record<string, Command>): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${firstSentence(commands[name]?.summary ?? '')}\n`);
  return `Usage:
  ${prefix} <command> [<argument> ...] [--json]

${lines.join('')}
With --help, a command says how it is used; with --json, it prints its result for programs.
It exits with 0 when it is done, with 1 when it is refused or fails, with 2 when it is not used like this.
`;
}

/** Up to what would be a second one, or details. */
const firstSentence = (summary: string) => `${summary.split(/[.;:] /)[0]?.replace(/\.$/, '')}.`;

function fail(error: unknown): number {
  process.stderr.write(`${explainFailure(error)}\n`);
  return 1;
}

process.exitCode = await main(process.argv.slice(2)).catch(fail);
