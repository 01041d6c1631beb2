import type { ParseArgsOptionDescriptor } from 'node:util';

/** One command of the command line. */
export type Command = {
  /** How it is called, without what stands before every command. */
  usage: string;
  summary: string;
  /** How many words it takes beside its options. */
  operands: number;
  options?: Record<string, ParseArgsOptionDescriptor>;
  run: (operands: string[], options: Options) => Promise<Result>;
};

/** The options that were given; `json` and `help` are every command's. */
export type Options = Record<string, string | boolean | string[] | undefined>;

/** What a command found or did, for programs (`--json`) and for people. */
export type Result = { data: unknown; text: string };

/** The command was called in a way that it can't be; its usage follows. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The value of an option that must be there. */
export function required(options: Options, name: string): string {
  const value = options[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(`The option --${name} is required.`);
}
