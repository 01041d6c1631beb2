import type { ParseArgsOptionDescriptor } from 'node:util';

/** One command of the command line. */
export type Command = {
  /** What follows its name in its usage. */
  usage: string;
  /** What it does; its first sentence stands in the overview. */
  summary: string;
  /** How many arguments it takes besides its options. */
  operands: number;
  /** The options without which it can't be carried out. */
  required?: string[];
  /** Whether it makes the embedded database where DATA_DIR has none; for all others that is an error. */
  makesDatabase?: true;
  /** Whether it works on a damaged database as well, so that indexes are not made before it. */
  takesDamaged?: true;
  /** Whether it reads the files of a database itself, which is not opened for it. */
  readsFiles?: (options: Options) => boolean;
  options?: Record<string, ParseArgsOptionDescriptor>;
};

/** Carries out a command. */
export type Run = (operands: string[], options: Options, streams: Streams) => Promise<Result>;

/** The standard streams of a command. */
export type Streams = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Pick<NodeJS.WriteStream, 'write'>;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
};

/** The options that were given; every command has `json` and `help`. */
export type Options = Record<string, string | boolean | string[] | undefined>;

/** The result of a command, for programs (`--json`) and for people; `isNote`: standard output has something else. */
export type Result = { data: unknown; text: string; isNote?: boolean };

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
