import { parseArgs } from 'node:util';
import type { Bench } from './figure.ts';

/** The amount of measurements by default and with `--quick`. */
const full = { messages: 1_000_000, rooms: 10_000, repeats: 2000, seconds: 5, rounds: 3 };
const quick = { messages: 10_000, rooms: 1000, repeats: 100, seconds: 1, rounds: 1 };
/** With `--against`, two servers are filled, so each gets less time. */
const comparison = { ...full, messages: 10_000, seconds: 3 };

/** Parses the command line; throws if it is invalid. */
export function readOptions(words: readonly string[], suites: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      baseline: { type: 'boolean', default: false },
      against: { type: 'string' },
      messages: { type: 'string' },
      repeats: { type: 'string' },
    },
  });
  const unknown = positionals.find((name) => !suites.includes(name));
  if (unknown !== undefined) throw new Error(`There is no suite ${unknown}. There are: ${suites.join(', ')}.`);
  if (values.against !== undefined && positionals.some((name) => name !== 'serve'))
    throw new Error('Only the suite serve can be compared with another commit.');
  const sizes = values.quick ? quick : values.against !== undefined ? comparison : full;
  const bench: Bench = {
    ...sizes,
    messages: count('messages', values.messages, sizes.messages),
    repeats: count('repeats', values.repeats, sizes.repeats),
    progress,
  };
  return {
    bench,
    isBaseline: values.baseline,
    against: values.against,
    names: positionals.length > 0 ? positionals : suites,
  };
}

function count(name: string, given: string | undefined, fallback: number): number {
  const value = Number(given ?? fallback);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`Set --${name} to a whole number above 0, not '${given}'.`);
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
