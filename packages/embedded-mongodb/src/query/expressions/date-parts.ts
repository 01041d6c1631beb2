import { Double, Int32, Long, Timestamp } from 'bson';
import { DatabaseError } from '../errors.ts';
import { integerOf } from '../match-operators.ts';
import { type Doc, isDoc, isNumber, typeName, type Value } from '../value.ts';
import { dayOfYear, fromZone, inZone, isoDayOfWeek, isoWeek, UTC, utcMillis, weekOfYear } from './calendar.ts';
import { millisOf, zoneArgument } from './date-arguments.ts';
import { DATE_ARITHMETIC } from './date-arithmetic.ts';
import { DATE_STRINGS } from './date-strings.ts';
import { argumentsOf, folded, isNullish, type Maybe, namedArguments, namedOperator, type Operator } from './operator.ts';

/** Operators on dates. */
export const DATES: Readonly<Record<string, Operator>> = {
  ...DATE_ARITHMETIC,
  ...DATE_STRINGS,
  $year: part((date) => date.getUTCFullYear()),
  $month: part((date) => date.getUTCMonth() + 1),
  $dayOfMonth: part((date) => date.getUTCDate()),
  $hour: part((date) => date.getUTCHours()),
  $minute: part((date) => date.getUTCMinutes()),
  $second: part((date) => date.getUTCSeconds()),
  $millisecond: part((date) => date.getUTCMilliseconds()),
  $dayOfYear: part(dayOfYear),
  $dayOfWeek: part((date) => date.getUTCDay() + 1),
  $week: part(weekOfYear),
  $isoDayOfWeek: part(isoDayOfWeek),
  $isoWeek: part((date) => isoWeek(date).week),
  $isoWeekYear: (operand, compiler, name) => datePart(operand, compiler, name, (date) => Long.fromNumber(isoWeek(date).year)),
  $dateToParts: namedOperator(['date'], ['timezone', 'iso8601'], { notObject: 40524, unknown: 40520, absent: 40522 }, toParts),
  $dateFromParts: namedOperator(
    [],
    ['year', 'month', 'day', 'isoWeekYear', 'isoWeek', 'isoDayOfWeek', 'hour', 'minute', 'second', 'millisecond', 'timezone'],
    { notObject: 40519, unknown: 40518, absent: 40516 },
    fromParts,
  ),
  $tsSecond: timestampPart((timestamp) => timestamp.high >>> 0),
  $tsIncrement: timestampPart((timestamp) => timestamp.low >>> 0),
};

function part(read: (local: Date) => number): Operator {
  return (operand, compiler, name) => datePart(operand, compiler, name, (date) => new Int32(read(date)));
}

function datePart(
  operand: Value,
  compiler: Parameters<Operator>[1],
  name: string,
  read: (local: Date) => Value,
): ReturnType<Operator> {
  const single = Array.isArray(operand) ? argumentOf(operand, name) : operand;
  const isNamed = isDoc(single) && !single.keys().next().value?.startsWith('$');
  const doc: Doc = isNamed
    ? namedArguments(single, ['date'], ['timezone'], { notObject: 40535, unknown: 40535, absent: 40539 }, name)
    : new Map([['date', single]]);
  const date = compiler.compile(doc.get('date') as Value);
  const timezone = doc.has('timezone') ? compiler.compile(doc.get('timezone') as Value) : undefined;
  return folded(timezone === undefined ? [date] : [date, timezone], (root) => {
    const value = date.evaluate(root);
    if (isNullish(value)) return null;
    const zone = timezone === undefined ? UTC : zoneArgument(timezone.evaluate(root));
    return zone === undefined ? null : read(inZone(millisOf(value), zone));
  });
}

function argumentOf(operand: Value[], name: string): Value {
  if (operand.length !== 1)
    throw new DatabaseError(40536, `${name} accepts exactly one argument if given an array, but was given ${operand.length}`);
  return operand[0] as Value;
}

function timestampPart(read: (timestamp: Timestamp) => number): Operator {
  return (operand, compiler, name) => {
    const [arg] = argumentsOf(operand, 1, 1, name).map((item) => compiler.compile(item));
    return folded(arg === undefined ? [] : [arg], (root) => {
      const value = arg?.evaluate(root);
      if (isNullish(value)) return null;
      if (!(value instanceof Timestamp))
        throw new DatabaseError(5687301, `Argument to ${name} must be a timestamp, but is ${typeName(value)}`);
      return Long.fromNumber(read(value));
    });
  };
}

function toParts(args: Readonly<Record<string, Maybe>>): Maybe {
  const { date, timezone, iso8601 } = args;
  if ('iso8601' in args && iso8601 !== null && typeof iso8601 !== 'boolean') {
    throw new DatabaseError(40521, `iso8601 must evaluate to a bool, found ${typeName(iso8601)}`);
  }
  const zone = 'timezone' in args ? zoneArgument(timezone) : UTC;
  if (isNullish(date) || zone === undefined || ('iso8601' in args && iso8601 === null)) return null;
  const local = inZone(millisOf(date), zone);
  const week = isoWeek(local);
  const day: [string, number][] = iso8601
    ? [
        ['isoWeekYear', week.year],
        ['isoWeek', week.week],
        ['isoDayOfWeek', isoDayOfWeek(local)],
      ]
    : [
        ['year', local.getUTCFullYear()],
        ['month', local.getUTCMonth() + 1],
        ['day', local.getUTCDate()],
      ];
  const time: [string, number][] = [
    ['hour', local.getUTCHours()],
    ['minute', local.getUTCMinutes()],
    ['second', local.getUTCSeconds()],
    ['millisecond', local.getUTCMilliseconds()],
  ];
  return new Map([...day, ...time].map(([name, value]) => [name, new Int32(value)]));
}

function fromParts(args: Readonly<Record<string, Maybe>>): Maybe {
  const iso = 'isoWeekYear' in args;
  if (!iso && !('year' in args))
    throw new DatabaseError(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
  for (const name of iso ? ['year', 'month', 'day'] : ['isoWeek', 'isoDayOfWeek']) {
    if (name in args) throw new DatabaseError(40525, `$dateFromParts does not allow mixing natural dates with ISO dates`);
  }
  const zone = 'timezone' in args ? zoneArgument(args.timezone) : UTC;
  const names = iso ? ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'] : ['year', 'month', 'day'];
  const [year, second, third] = names.map((name) => partArgument(args, name, 1));
  const [hour, minute, seconds, millisecond] = ['hour', 'minute', 'second', 'millisecond'].map((name) =>
    partArgument(args, name, 0),
  );
  const all = [year, second, third, hour, minute, seconds, millisecond];
  if (zone === undefined || !all.every((value) => value !== undefined)) return null;
  const [y = 0, m = 1, d = 1, h = 0, min = 0, s = 0, ms = 0] = all as number[];
  if (y < 1 || y > 9999)
    throw new DatabaseError(40523, `'${names[0]}' must evaluate to an integer in the range 1 to 9999, found ${y}`);
  const day = iso ? isoDate(y, m, d) : utcMillis(y, m - 1, d);
  return new Date(fromZone(day + ((h * 60 + min) * 60 + s) * 1000 + ms, zone));
}

function isoDate(year: number, week: number, day: number): number {
  const fourth = utcMillis(year, 0, 4);
  return utcMillis(year, 0, 4 - (isoDayOfWeek(new Date(fourth)) - 1) + (week - 1) * 7 + (day - 1));
}

function partArgument(args: Readonly<Record<string, Maybe>>, name: string, absent: number): number | undefined {
  if (!(name in args)) return absent;
  const value = args[name];
  if (isNullish(value)) return undefined;
  const whole = isNumber(value) && !(value instanceof Double && !Number.isInteger(value.value)) ? integerOf(value) : undefined;
  if (whole === undefined)
    throw new DatabaseError(40515, `'${name}' must evaluate to an integer, found ${typeName(value)} with value ${String(value)}`);
  if (
    name !== 'year' &&
    name !== 'isoWeekYear' &&
    (whole < -32768n || whole > 32767n) &&
    name !== 'second' &&
    name !== 'millisecond'
  ) {
    throw new DatabaseError(
      31034,
      `'${name}' must evaluate to a value in the range [-32768, 32767]; value ${whole} is not in range`,
    );
  }
  return Number(whole);
}
