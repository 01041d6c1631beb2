import { Long } from 'bson';
import { DatabaseError, failedToParse } from '../errors.ts';
import { compilerFor, fieldParts } from '../expression.ts';
import { hasherFor, hashKey } from '../hash-key.ts';
import { compileFilter } from '../match.ts';
import { integerOf } from '../match-operators.ts';
import { valuesAt } from '../path.ts';
import { type Doc, isDoc, isNumber, type Value } from '../value.ts';
import { hintOfValues } from './lookup-hints.ts';
import { withNested } from './shaping.ts';
import { checkNames, docOf, type Stage, type StageContext } from './stage.ts';

const NAMES = [
  'from',
  'startWith',
  'connectFromField',
  'connectToField',
  'as',
  'maxDepth',
  'depthField',
  'restrictSearchWithMatch',
];

/** `$graphLookup`: follows references from document to document, each of which is found but once. */
export function graphLookup(spec: Value, context: StageContext): Stage {
  const options = docOf(spec, '$graphLookup', 9);
  checkNames(options, NAMES, '$graphLookup', 40104);
  const [from, connectFrom, connectTo, as] = ['from', 'connectFromField', 'connectToField', 'as'].map((name) =>
    textOption(options, name),
  ) as [string, string, string, string];
  if (!options.has('startWith')) throw new DatabaseError(40105, "$graphLookup requires 'startWith' to be specified");
  const depthField = options.has('depthField') ? fieldParts(textOption(options, 'depthField')) : undefined;
  const restriction = options.get('restrictSearchWithMatch');
  if (restriction !== undefined && !isDoc(restriction))
    throw new DatabaseError(40185, '$graphLookup restrictSearchWithMatch must be an object');
  const accepts = compileFilter(restriction ?? new Map(), context).matches;
  const maxDepth = maxDepthOf(options.get('maxDepth'));
  const start = compilerFor(context).compile(options.get('startWith') as Value);
  const fromParts = fieldParts(connectFrom);
  const toParts = fieldParts(connectTo);
  const asParts = fieldParts(as);

  const keyOf = hasherFor(context.texts);
  const reachable = (doc: Doc): Doc[] => {
    const found = new Map<string, Doc>();
    const asked = new Set<string>();
    const begin = start.evaluate(doc);
    let frontier: Value[] = Array.isArray(begin) ? begin : [begin ?? null];
    for (let depth = 0; depth <= maxDepth && frontier.length > 0; depth++) {
      const wanted = frontier.filter((value) => !asked.has(keyOf(value)) && asked.add(keyOf(value)).size > 0);
      const next: Value[] = [];
      const keys = new Set(wanted.map(keyOf));
      const partners = wanted.length === 0 ? [] : context.collection(from, hintOfValues(connectTo, wanted));
      for (const partner of partners) {
        const id = hashKey(partner.get('_id') ?? null);
        const connected = valuesOrNull(partner, toParts).some((value) => keys.has(keyOf(value)));
        if (found.has(id) || !connected || !accepts(partner)) continue;
        found.set(id, depthField === undefined ? partner : withNested(partner, depthField, Long.fromNumber(depth)));
        for (const value of valuesAt(partner, fromParts)) next.push(value);
      }
      frontier = next;
    }
    return [...found.values()];
  };
  return function* (input) {
    for (const doc of input) yield withNested(doc, asParts, reachable(doc));
  };
}

function valuesOrNull(doc: Doc, parts: readonly string[]): Value[] {
  const values = valuesAt(doc, parts);
  return values.length === 0 ? [null] : values;
}

function textOption(options: Doc, name: string): string {
  const value = options.get(name);
  if (value === undefined) throw new DatabaseError(40105, `$graphLookup requires '${name}' to be specified`);
  if (typeof value !== 'string')
    throw name === 'from'
      ? failedToParse(`$graphLookup argument 'from' must be a string`)
      : new DatabaseError(40103, `expected string as argument for ${name}`);
  return value;
}

function maxDepthOf(value: Value | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (!isNumber(value)) throw new DatabaseError(40100, 'maxDepth requires a numeric argument');
  const whole = integerOf(value);
  if (whole === undefined) throw new DatabaseError(40102, 'maxDepth could not be represented as a long long');
  if (whole < 0n) throw new DatabaseError(40101, 'maxDepth requires a nonnegative argument');
  return Number(whole);
}
