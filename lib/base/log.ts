import { config, isOnLambda } from '../settings/config.ts';
import { toPrintableJson } from './printable-json.ts';

const levels = { debug: 0, info: 1, error: 2, silent: 3 } as const;

/** Fields of every line. */
let hostFields: Record<string, unknown> = {};

/**
 * Adds fields to all further lines, such as the function's name if several functions share a log.
 */
export function setHostFields(fields: Record<string, unknown>): void {
  hostFields = fields;
}

/** Writes one JSON line to stdout, where CloudWatch and other log collectors read it. */
export function log(level: Exclude<keyof typeof levels, 'silent'>, message: string, fields: Record<string, unknown> = {}): void {
  if (levels[level] < levels[config.logLevel]) return;
  const entry = { time: timeOf(Date.now()), level, message, ...hostFields, ...fields };
  // Lambda freezes the process after the answer, so write immediately.
  if (isOnLambda) process.stdout.write(lineOf(entry));
  else buffer(entry, level);
}

let millisecond = 0;
let time = '';

/** A time in ISO format. Cached, because many lines of a busy server share a millisecond. */
function timeOf(now: number): string {
  if (now !== millisecond) {
    millisecond = now;
    time = new Date(now).toISOString();
  }
  return time;
}

function lineOf(entry: { message: string }): string {
  try {
    return `${toPrintableJson(entry)}\n`;
  } catch (error) {
    return `${toPrintableJson({ time: new Date(), level: 'error', message: entry.message, error: describeError(error) })}\n`;
  }
}

// Lines are serialised when they are written, so that answers do not wait for that.
let buffered: { message: string }[] = [];
let timer: NodeJS.Timeout | undefined;
let immediate: NodeJS.Immediate | undefined;

/**
 * How long a line waits for others to be written with it: a write to a pipe or a file blocks the
 * process.
 */
const longestWaitMs = 10;

function buffer(entry: { message: string }, level: string): void {
  buffered.push(entry);
  // The process may crash soon after an error, so write the line immediately after this turn.
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

/** An error for a log line: its name, message and stack, and those of its causes. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
