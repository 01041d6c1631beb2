import { Binary, Timestamp, UUID } from 'bson';
import { describe, expect, it } from 'vitest';
import { decimal, double, evaluate, id, long, now, type Row } from './evaluation.ts';
import { d } from './notation.ts';

const uuid = new UUID('0e3b9063-8abd-4eb3-9f9f-f4c59fd30a60');

const SECTIONS: Readonly<Record<string, readonly Row[]>> = {
  texts: [
    ['$concat, null in it makes null', [{ $concat: ['a', 'b'] }, { $concat: ['a', null] }], ['ab', null]],
    ['$toLower and $toUpper change the letters of ASCII', [{ $toLower: 'AÜ' }, { $toUpper: 'aü' }], ['aÜ', 'Aü']],
    [
      '$substrCP of a timestamp',
      [{ $substrCP: [new Timestamp({ t: 1, i: 2 }), 0, 99] }, { $substrCP: [new Timestamp({ t: 4_000_000_000, i: 10 }), 0, 99] }],
      ['Jan  1 00:00:01:2', 'Oct  2 07:06:40:10'],
    ],
    ['$toLower of null is empty', { $toLower: null }, ''],
    ['$strLenCP counts characters, $strLenBytes bytes', [{ $strLenCP: '😀a' }, { $strLenBytes: '😀a' }], [2, 5]],
    ['$substrCP, $substrBytes', [{ $substrCP: ['😀abc', 1, 2] }, { $substrBytes: ['abc', 1, -1] }], ['ab', 'bc']],
    ['$split', { $split: ['a-b', '-'] }, ['a', 'b']],
    ['$indexOfCP, $indexOfBytes', [{ $indexOfCP: ['😀ab', 'b'] }, { $indexOfBytes: ['😀ab', 'b'] }], [2, 5]],
    [
      '$trim, $ltrim, $rtrim',
      [{ $trim: { input: ' a ' } }, { $ltrim: { input: 'xxa', chars: 'x' } }, { $rtrim: { input: 'a  ' } }],
      ['a', 'a', 'a'],
    ],
    [
      '$replaceOne, $replaceAll take no patterns',
      [
        { $replaceOne: { input: 'a.b.c', find: '.', replacement: '&' } },
        { $replaceAll: { input: 'a.b.c', find: '.', replacement: '-' } },
      ],
      ['a&b.c', 'a-b-c'],
    ],
    ['$strcasecmp', { $strcasecmp: ['ABC', 'abd'] }, -1],
    ['$regexMatch', { $regexMatch: { input: 'Hello', regex: 'hel', options: 'i' } }, true],
    ['$regexFind', { $regexFind: { input: 'a1b2', regex: /([a-z])(\d)/ } }, { match: 'a1', idx: 0, captures: ['a', '1'] }],
    [
      '$regexFindAll',
      { $regexFindAll: { input: '😀x1', regex: '\\w' } },
      [
        { match: 'x', idx: 1, captures: [] },
        { match: '1', idx: 2, captures: [] },
      ],
    ],
  ],
  types: [
    ['$type', [{ $type: 1 }, { $type: '$none' }, { $type: [[]] }], ['int', 'missing', 'array']],
    [
      '$toString',
      [{ $toString: 1.5 }, { $toString: 1e21 }, { $toString: now }, { $toString: id }, { $toString: true }],
      ['1.5', '1e+21', '2024-05-01T12:00:00.000Z', '507f1f77bcf86cd799439011', 'true'],
    ],
    ['$toString of binary data', [{ $toString: uuid }, { $toString: new Binary(Buffer.from('ab')) }], [uuid.toString(), 'YWI=']],
    ['$toInt, $toLong cut', [{ $toInt: '12' }, { $toInt: 1.9 }, { $toLong: -1.9 }], [12, 1, long('-1')]],
    ['$toDouble, $toDecimal', [{ $toDouble: '1.5' }, { $toDecimal: '1.50' }], [double(1.5), decimal('1.50')]],
    ['$toBool', [{ $toBool: 0 }, { $toBool: 'false' }], [false, true]],
    [
      '$toDate',
      [{ $toDate: long('5') }, { $toDate: '1970-01-01' }, { $toDate: id }],
      [new Date(5), new Date(0), id.getTimestamp()],
    ],
    ['$toObjectId', { $toObjectId: '507f1f77bcf86cd799439011' }, id],
    [
      '$convert with what to do on error and on null',
      [{ $convert: { input: 'x', to: 'int', onError: 'bad' } }, { $convert: { input: null, to: 'int', onNull: 0 } }],
      ['bad', 0],
    ],
    ['conversions of null are null', { $toInt: null }, null],
    ['$isNumber', [{ $isNumber: 1 }, { $isNumber: '1' }], [true, false]],
  ],
  dates: [
    [
      'parts',
      [{ $year: now }, { $month: now }, { $dayOfMonth: now }, { $hour: now }, { $dayOfWeek: now }, { $dayOfYear: now }],
      [2024, 5, 1, 12, 4, 122],
    ],
    [
      'parts in a zone',
      [{ $hour: { date: now, timezone: 'Europe/Berlin' } }, { $dayOfMonth: { date: now, timezone: '+13:00' } }],
      [14, 2],
    ],
    [
      'weeks',
      [
        { $week: new Date('2024-01-06') },
        { $week: new Date('2024-01-07') },
        { $isoWeek: new Date('2021-01-03') },
        { $isoWeekYear: new Date('2021-01-03') },
      ],
      [0, 1, 53, long('2020')],
    ],
    ['parts of an ObjectId and a timestamp', [{ $year: id }, { $second: new Timestamp({ t: 61, i: 1 }) }], [2012, 1]],
    [
      '$dateToString',
      [
        { $dateToString: { date: now } },
        { $dateToString: { date: now, format: '%d.%m.%Y %H:%M %z %% %j', timezone: 'America/New_York' } },
      ],
      ['2024-05-01T12:00:00.000Z', '01.05.2024 08:00 -0400 % 122'],
    ],
    ['$dateToString of null', { $dateToString: { date: null, onNull: '-' } }, '-'],
    [
      '$dateFromString',
      [
        { $dateFromString: { dateString: '2024-05-01T14:00:00+02:00' } },
        { $dateFromString: { dateString: '01/05/2024', format: '%d/%m/%Y', timezone: 'Europe/Berlin' } },
      ],
      [now, new Date('2024-04-30T22:00:00Z')],
    ],
    ['$dateFromString that fails', { $dateFromString: { dateString: 'soon', onError: null } }, null],
    [
      '$dateToParts, $dateFromParts',
      [{ $dateToParts: { date: new Date(5) } }, { $dateFromParts: { year: 2024, month: 14, day: 0 } }],
      [{ year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 5 }, new Date('2025-01-31T00:00:00Z')],
    ],
    [
      '$dateAdd ends with the month',
      { $dateAdd: { startDate: new Date('2024-01-31'), unit: 'month', amount: 1 } },
      new Date('2024-02-29'),
    ],
    [
      '$dateAdd keeps the hour of a zone when its clocks change',
      { $dateAdd: { startDate: new Date('2024-03-30T12:00:00Z'), unit: 'day', amount: 1, timezone: 'Europe/Berlin' } },
      new Date('2024-03-31T11:00:00Z'),
    ],
    ['$dateSubtract', { $dateSubtract: { startDate: now, unit: 'hour', amount: 36 } }, new Date('2024-04-30T00:00:00Z')],
    [
      '$dateDiff counts the borders that are passed',
      [
        { $dateDiff: { startDate: new Date('2023-12-31T23:59:59Z'), endDate: new Date('2024-01-01'), unit: 'year' } },
        { $dateDiff: { startDate: new Date('2024-05-04'), endDate: new Date('2024-05-05'), unit: 'week' } },
      ],
      [long('1'), long('1')],
    ],
    [
      '$dateTrunc',
      [
        { $dateTrunc: { date: now, unit: 'month' } },
        { $dateTrunc: { date: now, unit: 'week', startOfWeek: 'monday' } },
        { $dateTrunc: { date: now, unit: 'hour', binSize: 5 } },
      ],
      [new Date('2024-05-01'), new Date('2024-04-29'), new Date('2024-05-01T12:00:00Z')],
    ],
  ],
  documents: [
    ['$mergeObjects', { $mergeObjects: ['$a', { c: 3 }, null] }, { b: 1, c: 3 }, { a: { b: 1, c: 2 } }],
    [
      '$getField reads names that no path can',
      [{ $getField: 'a.b' }, { $getField: { field: 'x', input: { x: 1 } } }],
      [5, 1],
      { 'a.b': 5 },
    ],
    [
      '$setField, $unsetField',
      [{ $setField: { field: { $literal: '$a' }, input: '$$ROOT', value: 1 } }, { $unsetField: { field: 'b', input: '$$ROOT' } }],
      [{ b: 2, $a: 1 }, {}],
      { b: 2 },
    ],
    ['$bsonSize, $binarySize', [{ $bsonSize: '$$ROOT' }, { $binarySize: 'ü' }], [12, 2], { a: 1 }],
  ],
};

describe.each(Object.entries(SECTIONS))('%s', (_section, rows) => {
  it.each(rows)('%s', (_story, expression, result, document) => {
    const expected = result === undefined ? undefined : d({ result }).get('result');
    expect(evaluate(expression, document as object | undefined)).toEqual(expected);
  });
});
