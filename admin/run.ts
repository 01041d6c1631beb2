import { parseArgs } from 'node:util';
import { describeSystemError } from 'embedded-mongodb/system-errors';
import { explainFailure } from '../lib/base/errors.ts';
import { noteCommand } from './audit.ts';
import { type Command, type Options, required, type Streams, UsageError } from './command.ts';
import { print, printJson } from './output.ts';

/** Runs the work of a command with an open database. */
type WithDatabase = <T>(command: Command, work: () => Promise<T>, options: Options) => Promise<T>;

/**
 * Finds and runs a command. Writes its result, or one sentence on why it failed. Returns the exit
 * status.
 */
export async function run(words: string[], streams: Streams, withDatabase: WithDatabase): Promise<number> {
  try {
    // Imported late, so that an invalid setting is reported like any other error.
    const { commands } = await import('./commands.ts');
    const name = Object.keys(commands).find((candidate) => candidate === words.slice(0, candidate.split(' ').length).join(' '));
    const command = name === undefined ? undefined : commands[name];
    if (name === undefined || command === undefined) return showOverview(words, commands, streams);
    return await runCommand(name, command, words.slice(name.split(' ').length), streams, withDatabase);
  } catch (error) {
    print(streams.stderr, describeSystemError(error) ?? explainFailure(error));
    return 1;
  }
}

/** Lists the commands: all, or those that begin with the same word. */
function showOverview(words: string[], commands: Record<string, Command>, { stdout, stderr }: Streams): number {
  const isHelp = words.length === 0 || words.some((word) => word === '--help' || word === '-h' || word === 'help');
  const group = Object.keys(commands).filter((name) => name.startsWith(`${words[0]} `));
  const names = group.length > 0 ? group : Object.keys(commands);
  if (!isHelp) print(stderr, `Unknown command '${words.join(' ')}'.`);
  print(isHelp ? stdout : stderr, overviewOf(names, commands));
  return isHelp ? 0 : 2;
}

async function runCommand(
  name: string,
  command: Command,
  words: string[],
  streams: Streams,
  withDatabase: WithDatabase,
): Promise<number> {
  const { stdout, stderr } = streams;
  try {
    const { values, positionals } = parse(command, words);
    if (values.help) {
      print(stdout, `${usageOf(name, command)}\n\n${command.summary}`);
      return 0;
    }
    const carryOut = async () => {
      const { loadRun } = await import('./commands.ts');
      const work = await loadRun(name);
      return noted(name, words, () => work(positionals, values, streams));
    };
    const { data, text, isNote } = await withDatabase(command, carryOut, values);
    const stream = isNote ? stderr : stdout;
    if (values.json) printJson(stream, data);
    else print(stream, text);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(stderr, `${error.message}\n${usageOf(name, command)}`);
    return 2;
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

const usageOf = (name: string, { usage }: Command) => `Usage:\n  ${prefix} ${name} ${usage}`.trimEnd();

function overviewOf(names: string[], commands: Record<string, Command>): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${firstSentence(commands[name]?.summary ?? '')}\n`);
  return `Usage:
  ${prefix} <command> [<argument> ...] [--json]

${lines.join('')}
Add --help for usage, --json for machine-readable output.
Exit status: 0 success, 1 failure, 2 invalid usage.`;
}

/** Ends before a second sentence or details. */
const firstSentence = (summary: string) => `${summary.split(/[.;:] /)[0]?.replace(/\.$/, '')}.`;
