import { config, isOnLambda } from '../settings/config.ts';
import { toPrintableJson } from './printable-json.ts';

const levels = { debug: 0, info: 1, error: 2, silent: 3 } as const;

/** Fields of every line. */
let hostFields: Record<string, unknown> = {};

/** Adds fields to every line from now on, such as the name of the function if many share one log. */
export function setHostFields(fields: Record<string, unknown>): void {
  hostFields = fields;
}

/** Writes one JSON line to stdout, where CloudWatch and every log collector pick it up. */
export function log(level: Exclude<keyof typeof levels, 'silent'>, message: string, fields: Record<string, unknown> = {}): void {
  if (levels[level] < levels[config.logLevel]) return;
  const line = `${toPrintableJson({ time: new Date().toISOString(), level, message, ...hostFields, ...fields })}\n`;
  // A frozen process writes nothing: on Lambda the line goes out at once.
  if (isOnLambda) process.stdout.write(line);
  else buffer(line);
}

let buffered = '';

// A write to a pipe or a file blocks the process, so the lines of one turn of the event loop are written together.
function buffer(line: string): void {
  if (buffered === '') setImmediate(flush);
  buffered += line;
}

function flush(): void {
  process.stdout.write(buffered);
  buffered = '';
}
process.on('exit', () => buffered !== '' && flush());

/** An error as a log line shows it: its kind, message and stack, and those of its cause. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
