import { decode } from '../values/bson.ts';
import { DatabaseError } from '../values/errors.ts';
import type { Doc } from '../values/value.ts';

/** MongoDB's limit for a message. */
export const maxMessageBytes = 48_000_000;
const headerBytes = 16;
/** The bytes before the body of an OP_MSG: header, flags and section kind. */
export const replyHeadBytes = headerBytes + 5;

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

const moreToCome = 2;
/** A receiver must reject unknown flags among the low 16 bits. */
const requiredBits = 0xffff;

/**
 * MongoDB's limit for the body of a command: the largest document plus room for the other fields.
 */
const maxBodyBytes = 16 * 1024 * 1024 + 16 * 1024;

/** A message violates the protocol. Its connection is closed. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** A parsed command message. */
export type Message = {
  readonly requestId: number;
  readonly body: Doc;
  /** The encoded body, for documents that are stored unchanged. */
  readonly bytes: Buffer;
  /** Document sequences, by the name of the field that they belong to. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** Sent as OP_QUERY. Drivers may send their first hello this way. */
  readonly legacy: boolean;
  readonly expectsReply: boolean;
  /** Set if the message is rejected without decoding it. */
  readonly refusal?: DatabaseError;
};

/** The length in a message header. */
export function messageLength(header: Buffer): number {
  const length = header.readInt32LE(0);
  if (length < headerBytes || length > maxMessageBytes) throw new ProtocolError(`a message of ${length} bytes`);
  return length;
}

/** Parses a complete message. */
export function parseMessage(bytes: Buffer): Message {
  const requestId = bytes.readInt32LE(4);
  const opcode = bytes.readInt32LE(12);
  try {
    if (opcode === opMsg) return parseMsg(bytes, requestId);
    if (opcode === opQuery) return parseQuery(bytes, requestId);
  } catch (error) {
    throw error instanceof ProtocolError ? error : new ProtocolError((error as Error).message);
  }
  throw new ProtocolError(`opcode ${opcode}`);
}

function parseMsg(bytes: Buffer, requestId: number): Message {
  const flags = bytes.readUInt32LE(headerBytes);
  if ((flags & requiredBits & ~moreToCome) !== 0) throw new ProtocolError(`unknown flags ${flags}`);
  const expectsReply = (flags & moreToCome) === 0;
  const sequences = new Map<string, Buffer[]>();
  let body: Buffer | undefined;
  for (let at = headerBytes + 4; at < bytes.length; ) {
    const kind = bytes[at] as number;
    const section = bytes.subarray(at + 1, at + 1 + lengthAt(bytes, at + 1, bytes.length));
    at += 1 + section.length;
    if (kind === 0 && body === undefined) body = section;
    else if (kind === 1) addSequence(sequences, section);
    else throw new ProtocolError(`section of kind ${kind}`);
  }
  if (body === undefined) throw new ProtocolError('no body');
  const tooLarge = [body, ...[...sequences.values()].flat()].find(({ length }) => length > maxBodyBytes);
  if (tooLarge !== undefined) {
    const refusal = new DatabaseError(
      10334,
      `BSONObj size: ${tooLarge.length} is invalid. Size must be between 0 and ${maxBodyBytes}`,
    );
    return { requestId, body: new Map(), bytes: body, sequences, legacy: false, expectsReply, refusal };
  }
  return { requestId, body: decode(body), bytes: body, sequences, legacy: false, expectsReply };
}

function addSequence(sequences: Map<string, Buffer[]>, section: Buffer): void {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd === -1) throw new ProtocolError('a sequence without a name');
  const name = section.toString('utf8', 4, nameEnd);
  if (sequences.has(name)) throw new ProtocolError(`two sequences '${name}'`);
  const documents: Buffer[] = [];
  for (let at = nameEnd + 1; at < section.length; ) {
    const document = section.subarray(at, at + lengthAt(section, at, section.length));
    documents.push(document);
    at += document.length;
  }
  sequences.set(name, documents);
}

function lengthAt(bytes: Buffer, at: number, end: number): number {
  if (at + 5 > end) throw new ProtocolError('a section runs over the end');
  const length = bytes.readInt32LE(at);
  if (length < 5 || at + length > end) throw new ProtocolError(`a section of ${length} bytes`);
  return length;
}

function parseQuery(bytes: Buffer, requestId: number): Message {
  const nameStart = headerBytes + 4;
  const nameEnd = bytes.indexOf(0, nameStart);
  const collection = bytes.toString('utf8', nameStart, nameEnd);
  const at = nameEnd + 1 + 8;
  if (nameEnd === -1 || !collection.endsWith('.$cmd')) throw new ProtocolError('an OP_QUERY that is no command');
  const section = bytes.subarray(at, at + lengthAt(bytes, at, bytes.length));
  const outer = decode(section);
  const body = outer.get('$query') instanceof Map ? (outer.get('$query') as Doc) : outer;
  if (!body.has('$db')) body.set('$db', collection.slice(0, -'.$cmd'.length));
  return { requestId, body, bytes: section, sequences: new Map(), legacy: true, expectsReply: true };
}

/** Encodes a command message without document sequences. */
export function messageBytes(body: Uint8Array): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(replyHeadBytes), body]);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(opMsg, 12);
  return bytes;
}

/** Encodes a reply message. */
export function replyBytes(message: Message, requestId: number, answer: Buffer): Buffer {
  const head = message.legacy ? legacyHead() : Buffer.alloc(replyHeadBytes);
  const bytes = Buffer.concat([head, answer]);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(requestId, 4);
  bytes.writeInt32LE(message.requestId, 8);
  bytes.writeInt32LE(message.legacy ? opReply : opMsg, 12);
  return bytes;
}

/** An OP_REPLY header: flags, cursor id, starting position and number of documents. */
function legacyHead(): Buffer {
  const head = Buffer.alloc(headerBytes + 20);
  head.writeInt32LE(8, headerBytes);
  head.writeInt32LE(1, headerBytes + 16);
  return head;
}
