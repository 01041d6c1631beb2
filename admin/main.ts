import { parseArgs } from 'node:util';
import { explainFailure } from '../lib/errors.ts';
import { noteCommand } from './audit.ts';
import { type Command, UsageError } from './command.ts';

/** The administrators' command line: finds the command, runs it, and reports its result in one sentence and an exit status. */
async function main(words: string[]): Promise<number> {
  // Imported late, so that a setting with an unusable value is reported like any other mistake.
  const { commands } = await import('./commands.ts');
  const name = Object.keys(commands).find((candidate) => candidate === words.slice(0, candidate.split(' ').length).join(' '));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) {
    const asked = words.length === 0 || words.some((word) => word === '--help' || word === '-h' || word === 'help');
    if (!asked) process.stderr.write(`There is no command '${words.join(' ')}'.\n`);
    process[asked ? 'stdout' : 'stderr'].write(usageOf(Object.values(commands)));
    return asked ? 0 : 2;
  }
  return run(name, command, words.slice(name.split(' ').length));
}

async function run(name: string, command: Command, words: string[]): Promise<number> {
  try {
    const { values, positionals } = parse(command, words);
    if (values.help) {
      process.stdout.write(`${usageOf([command])}\n${command.summary}\n`);
      return 0;
    }
    const { prepareDatabase, closeDatabase } = await import('../lib/prepare.ts');
    try {
      await prepareDatabase();
      const { data, text } = await noted(name, words, () => command.run(positionals, values));
      process.stdout.write(`${values.json ? JSON.stringify(data) : text}\n`);
      return 0;
    } finally {
      await closeDatabase();
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n${usageOf([command])}`);
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
    return parsed as { values: Record<string, string | boolean | string[] | undefined>; positionals: string[] };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const usageOf = (commands: Command[]) =>
  `Usage:\n${commands.map(({ usage }) => `  npm run --silent admin -- ${usage}\n`).join('')}`;

function fail(error: unknown): number {
  process.stderr.write(`${explainFailure(error)}\n`);
  return 1;
}

process.exitCode = await main(process.argv.slice(2)).catch(fail);
