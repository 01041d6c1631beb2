import type { ParseArgsOptionDescriptor } from 'node:util';

/** A command of the command line. */
export type Command = {
  /** The part of the usage after the command's name. */
  usage: string;
  /** The description. The overview shows its first sentence. */
  summary: string;
  /** The number of arguments besides options. */
  operands: number;
  /** The options that must be given. */
  required?: string[];
  /**
   * Set if the command may create the embedded database in an empty DATA_DIR. Other commands fail
   * there.
   */
  makesDatabase?: true;
  /**
   * Set if the command also works on a damaged database. Then it runs before indexes are created.
   */
  takesDamaged?: true;
  /** True if the command reads the database's files itself, so that the database is not opened. */
  readsFiles?: (options: Options) => boolean;
  options?: Record<string, ParseArgsOptionDescriptor>;
};

/** Runs a command. */
export type Run = (operands: string[], options: Options, streams: Streams) => Promise<Result>;

/** The standard streams of a command. */
export type Streams = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Pick<NodeJS.WriteStream, 'write'>;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
};

/** The given options; every command has `json` and `help`. */
export type Options = Record<string, string | boolean | string[] | undefined>;

/**
 * The result of a command, for programs (`--json`) and for people. `isNote` is set if standard
 * output contains something else.
 */
export type Result = { data: unknown; text: string; isNote?: boolean };

/** The command line is invalid. The command's usage is printed after the message. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The value of a required option. */
export function required(options: Options, name: string): string {
  const value = options[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(`The option --${name} is required.`);
}
