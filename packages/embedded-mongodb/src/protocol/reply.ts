import { encodeAnswer } from '../values/bson.ts';
import type { Doc } from '../values/value.ts';

/** The answer to a command: its fields, or, where stored documents go out as they lie on disk, its encoded pieces. */
export type Reply = Doc | readonly Buffer[];

/** The encoded pieces of any answer. */
export function encodedReply(reply: Reply): readonly Buffer[] {
  return reply instanceof Map ? [Buffer.from(encodeAnswer(reply))] : reply;
}

/** What a cursor gives back for one batch. */
export type CursorBatch = {
  readonly id: bigint;
  readonly namespace: string;
  readonly field: 'firstBatch' | 'nextBatch';
  readonly documents: readonly Uint8Array[];
};

const documentTag = 0x03;
const arrayTag = 0x04;
const stringTag = 0x02;
const longTag = 0x12;
const endByte = Buffer.of(0);
/** `ok: 1.0` and the end of the document. */
const okAndEnd = Buffer.from('\x01ok\0\0\0\0\0\0\0\xf0\x3f\0', 'latin1');

/** `{ cursor: { firstBatch: [...], id, ns }, ok: 1 }` around documents that are not decoded. */
export function cursorReply({ id, namespace, field, documents }: CursorBatch): Buffer[] {
  const batch: Uint8Array[] = [];
  let size = 5;
  documents.forEach((document, i) => {
    const head = i < elementHeads.length ? (elementHeads[i] as Buffer) : elementHead(documentTag, String(i));
    batch.push(head, document);
    size += head.length + document.length;
  });
  const batchHead = Buffer.concat([elementHead(arrayTag, field), int32Bytes(size)]);
  const ns = Buffer.from(namespace);
  const tail = Buffer.concat([
    endByte,
    elementHead(longTag, 'id'),
    int64Bytes(id),
    elementHead(stringTag, 'ns'),
    int32Bytes(ns.length + 1),
    ns,
    endByte,
    endByte,
  ]);
  const cursorSize = 4 + batchHead.length - 4 + size + tail.length - 1;
  const cursorHead = elementHead(documentTag, 'cursor');
  const total = 4 + cursorHead.length + cursorSize + okAndEnd.length;
  return [int32Bytes(total), cursorHead, int32Bytes(cursorSize), batchHead, ...(batch as Buffer[]), tail, okAndEnd];
}

const elementHeads = Array.from({ length: 1000 }, (_, i) => elementHead(documentTag, String(i)));

function elementHead(type: number, name: string): Buffer {
  return Buffer.from(`${String.fromCharCode(type)}${name}\0`, 'latin1');
}

function int32Bytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function int64Bytes(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}
