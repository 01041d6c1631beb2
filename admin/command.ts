import type { ParseArgsOptionDescriptor } from 'node:util';

/** One command of the command line. */
export type Command = {
  /** Its usage, without the prefix that all commands share. */
  usage: string;
  summary: string;
  /** How many arguments it takes besides its options. */
  operands: number;
  options?: Record<string, ParseArgsOptionDescriptor>;
  run: (operands: string[], options: Options) => Promise<Result>;
};

/** The options that were given; every command has `json` and `help`. */
export type Options = Record<string, string | boolean | string[] | undefined>;

/** The result of a command, for programs (`--json`) and for people. */
export type Result = { data: unknown; text: string };

/** The command line is invalid; the message is followed by the command's usage. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The value of a required option. */
export function required(options: Options, name: string): string {
  const value = options[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(`The option --${name} is required.`);
}
