import { Int32, ObjectId } from 'bson';
import { sessionMinutes } from '../sessions/retryable-writes.ts';
import type { Doc } from '../values/value.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { maxBatch, maxDocumentBytes, version } from './limits.ts';
import { maxMessageBytes } from './messages.ts';
import { reply } from './replies.ts';

const maxWireVersion = 25;

const replicaSet = 'rs0';
const election = new ObjectId('7fffffff0000000000000001');

function hello(_database: Database, { name, connection }: Command): Doc {
  const { address } = connection;
  return reply([
    [name === 'hello' ? 'isWritablePrimary' : 'ismaster', true],
    ['helloOk', true],
    // Drivers retry writes only on a member of a replica set.
    ['setName', replicaSet],
    ['setVersion', new Int32(1)],
    ['electionId', election],
    ['secondary', false],
    ['hosts', [address]],
    ['primary', address],
    ['me', address],
    ['maxBsonObjectSize', new Int32(maxDocumentBytes)],
    ['maxMessageSizeBytes', new Int32(maxMessageBytes)],
    ['maxWriteBatchSize', new Int32(maxBatch)],
    ['localTime', new Date()],
    ['logicalSessionTimeoutMinutes', new Int32(sessionMinutes)],
    ['connectionId', new Int32(connection.id)],
    ['minWireVersion', new Int32(0)],
    ['maxWireVersion', new Int32(maxWireVersion)],
    ['readOnly', false],
  ]);
}

function buildInfo(): Doc {
  const parts = [...version.split('.'), '0'].map((part) => new Int32(Number(part)));
  return reply([
    ['version', version],
    ['versionArray', parts],
    ['maxBsonObjectSize', new Int32(maxDocumentBytes)],
    ['storageEngines', ['sqlite']],
  ]);
}

const helloFields = [
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

/** Commands that drivers send to connect and to monitor. */
export const handshakeCommands: Readonly<Record<string, CommandEntry>> = {
  hello: { handle: hello, fields: helloFields },
  isMaster: { handle: hello, fields: helloFields },
  ismaster: { handle: hello, fields: helloFields },
  ping: { handle: () => reply([]), fields: [] },
  buildInfo: { handle: buildInfo, fields: [] },
};
