import { readVarint } from './cells.ts';

/** A column of a record. */
export type Column = null | number | string | Buffer;

/**
 * The columns of a record; undefined if it is damaged.
 * https://www.sqlite.org/fileformat2.html#record_format
 */
export function columnsOf(record: Buffer): Column[] | undefined {
  const head = readVarint(record, 0);
  if (head === undefined || head.value > record.length) return undefined;
  const columns: Column[] = [];
  let at = head.value;
  for (let place = head.end; place < head.value; ) {
    const type = readVarint(record, place);
    const length = type && lengthOf(type.value);
    if (type === undefined || length === undefined || at + length > record.length) return undefined;
    columns.push(columnAt(record, type.value, at, length));
    place = type.end;
    at += length;
  }
  return columns;
}

const numberLengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0] as const;

function lengthOf(type: number): number | undefined {
  return type < 12 ? numberLengths[type] : Math.floor((type - 12) / 2);
}

function columnAt(record: Buffer, type: number, at: number, length: number): Column {
  if (type === 0) return null;
  if (type === 7) return record.readDoubleBE(at);
  if (type === 8 || type === 9) return type - 8;
  if (type === 6) return Number(record.readBigInt64BE(at));
  if (type < 6) return record.readIntBE(at, length);
  const bytes = record.subarray(at, at + length);
  return type % 2 === 0 ? bytes : bytes.toString('utf8');
}
