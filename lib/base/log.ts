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
  const entry = { time: new Date(), level, message, ...hostFields, ...fields };
  // A frozen process writes nothing: on Lambda the line goes out at once.
  if (isOnLambda) process.stdout.write(lineOf(entry));
  else buffer(entry, level);
}

function lineOf(entry: { message: string }): string {
  try {
    return `${toPrintableJson(entry)}\n`;
  } catch (error) {
    return `${toPrintableJson({ time: new Date(), level: 'error', message: entry.message, error: describeError(error) })}\n`;
  }
}

// The lines are made when they are written, after the answers that they tell of.
let buffered: { message: string }[] = [];
let timer: NodeJS.Timeout | undefined;
let immediate: NodeJS.Immediate | undefined;

/** How long a line waits for others, because a write to a pipe or a file blocks the process. */
const longestWaitMs = 10;

function buffer(entry: { message: string }, level: string): void {
  buffered.push(entry);
  // What caused an error may end the process before long.
  if (level === 'error') immediate ??= setImmediate(flush);
  else timer ??= setTimeout(flush, longestWaitMs).unref();
}

function flush(): void {
  clearTimeout(timer);
  clearImmediate(immediate);
  timer = undefined;
  immediate = undefined;
  process.stdout.write(buffered.map(lineOf).join(''));
  buffered = [];
}
process.on('exit', () => buffered.length > 0 && flush());

/** An error as a log line shows it: its kind, message and stack, and those of its cause. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
