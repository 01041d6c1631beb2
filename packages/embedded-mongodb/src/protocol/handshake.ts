import { Int32, ObjectId } from 'bson';
import { SESSION_MINUTES } from '../sessions/retryable-writes.ts';
import type { Doc } from '../values/value.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { MAX_BATCH, MAX_DOCUMENT_BYTES, VERSION } from './limits.ts';
import { MAX_MESSAGE_BYTES } from './messages.ts';
import { reply } from './replies.ts';

const MAX_WIRE_VERSION = 25;

const REPLICA_SET = 'rs0';
const ELECTION = new ObjectId('7fffffff0000000000000001');

function hello({ address }: Database, { name, connection }: Command): Doc {
  return reply([
    [name === 'hello' ? 'isWritablePrimary' : 'ismaster', true],
    ['helloOk', true],
    // Drivers send writes a second time only to a member of a replica set.
    ['setName', REPLICA_SET],
    ['setVersion', new Int32(1)],
    ['electionId', ELECTION],
    ['secondary', false],
    ['hosts', [address]],
    ['primary', address],
    ['me', address],
    ['maxBsonObjectSize', new Int32(MAX_DOCUMENT_BYTES)],
    ['maxMessageSizeBytes', new Int32(MAX_MESSAGE_BYTES)],
    ['maxWriteBatchSize', new Int32(MAX_BATCH)],
    ['localTime', new Date()],
    ['logicalSessionTimeoutMinutes', new Int32(SESSION_MINUTES)],
    ['connectionId', new Int32(connection.id)],
    ['minWireVersion', new Int32(0)],
    ['maxWireVersion', new Int32(MAX_WIRE_VERSION)],
    ['readOnly', false],
  ]);
}

function buildInfo(): Doc {
  const parts = [...VERSION.split('.'), '0'].map((part) => new Int32(Number(part)));
  return reply([
    ['version', VERSION],
    ['versionArray', parts],
    ['maxBsonObjectSize', new Int32(MAX_DOCUMENT_BYTES)],
    ['storageEngines', ['sqlite']],
  ]);
}

const HELLO_FIELDS = [
  'helloOk',
  'client',
  'compression',
  'loadBalanced',
  'topologyVersion',
  'maxAwaitTimeMS',
  'saslSupportedMechs',
  'speculativeAuthenticate',
  'backpressure',
];

/** What a driver asks before and beside its work. */
export const handshakeCommands: Readonly<Record<string, CommandEntry>> = {
  hello: { handle: hello, fields: HELLO_FIELDS },
  isMaster: { handle: hello, fields: HELLO_FIELDS },
  ismaster: { handle: hello, fields: HELLO_FIELDS },
  ping: { handle: () => reply([]), fields: [] },
  buildInfo: { handle: buildInfo, fields: [] },
};
