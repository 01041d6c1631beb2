import { config } from './config.ts';

const levels = { debug: 0, info: 1, error: 2, silent: 3 } as const;

/** Writes one JSON line to stdout, where CloudWatch and every log collector pick it up. */
export function log(level: Exclude<keyof typeof levels, 'silent'>, message: string, fields: Record<string, unknown> = {}): void {
  if (levels[level] < levels[config.logLevel]) return;
  const line = `${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`;
  if (!isOnLambda) gather(line);
  else process.stdout.write(line);
}

// Lambda may freeze the process as soon as it has answered, with what was not written yet.
const isOnLambda = process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined;

let gathered = '';

// Writing to a pipe or a file holds up the process: where many requests share it, the lines of one turn of its loop are written at once.
function gather(line: string): void {
  if (gathered === '') setImmediate(flush);
  gathered += line;
}

function flush(): void {
  process.stdout.write(gathered);
  gathered = '';
}
process.on('exit', () => gathered !== '' && flush());

/** What a log line says of an error: its kind, words and place, and those of its cause. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
