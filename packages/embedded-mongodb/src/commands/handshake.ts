import { Double, Int32, Long, ObjectId } from 'bson';
import { MAX_DEPTH } from '../query/bson-reader.ts';
import { DatabaseError } from '../query/errors.ts';
import { type Doc, isDoc, type Value } from '../query/value.ts';
import { SESSION_MINUTES } from '../sessions/retryable-writes.ts';
import { MAX_MESSAGE_BYTES } from '../wire/messages.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { MAX_BATCH, MAX_DOCUMENT_BYTES, VERSION } from './limits.ts';
import { reply } from './replies.ts';

const MAX_WIRE_VERSION = 25;

const REPLICA_SET = 'rs0';
const ELECTION = new ObjectId('7fffffff0000000000000001');

function hello({ address }: Database, { name, args, connection }: Command): Doc {
  const client = args.get('client');
  const application = isDoc(client) ? client.get('application') : undefined;
  const appName = isDoc(application) ? application.get('name') : undefined;
  if (typeof appName === 'string') connection.appName = appName;
  const fields: [string, Value][] = [
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
  ];
  return reply(fields);
}

function buildInfo(): Doc {
  return reply([
    ['version', VERSION],
    ['gitVersion', 'embedded'],
    ['modules', []],
    [
      'versionArray',
      VERSION.split('.')
        .concat('0')
        .map((part) => new Int32(Number(part))),
    ],
    ['bits', new Int32(64)],
    ['debug', false],
    ['maxBsonObjectSize', new Int32(MAX_DOCUMENT_BYTES)],
    ['storageEngines', ['sqlite']],
  ]);
}

function connectionStatus(): Doc {
  const nobody = new Map<string, Value>([
    ['authenticatedUsers', []],
    ['authenticatedUserRoles', []],
  ]);
  return reply([['authInfo', nobody]]);
}

const PARAMETERS: Readonly<Record<string, Value>> = {
  featureCompatibilityVersion: new Map<string, Value>([['version', '8.0']]),
  authenticationMechanisms: [],
  requireApiVersion: false,
  maxBSONDepth: new Int32(MAX_DEPTH),
  ttlMonitorEnabled: true,
};

function getParameter({ testMode }: Database, { args }: Command): Doc {
  const parameters = { ...PARAMETERS, enableTestCommands: testMode };
  const all = args.get('getParameter') === '*';
  const found = Object.entries(parameters).filter(([name]) => all || args.has(name));
  if (found.length === 0) throw new DatabaseError(72, 'no option found to get');
  return reply(found);
}

function serverStatus({ address, cursors }: Database): Doc {
  const { rss } = process.memoryUsage();
  return reply([
    ['host', address],
    ['version', VERSION],
    ['process', 'embedded'],
    ['pid', Long.fromNumber(process.pid)],
    ['uptime', new Double(process.uptime())],
    ['localTime', new Date()],
    [
      'storageEngine',
      new Map<string, Value>([
        ['name', 'sqlite'],
        ['persistent', true],
      ]),
    ],
    [
      'repl',
      new Map<string, Value>([
        ['setName', REPLICA_SET],
        ['isWritablePrimary', true],
        ['me', address],
      ]),
    ],
    ['mem', new Map<string, Value>([['resident', new Int32(Math.round(rss / 1048576))]])],
    [
      'metrics',
      new Map<string, Value>([
        ['cursor', new Map<string, Value>([['open', new Map<string, Value>([['total', new Int32(cursors.size)]])]])],
      ]),
    ],
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
  'hostInfo',
  'internalClient',
  'backpressure',
];

/** What a driver asks before and beside its work. */
export const handshakeCommands: Readonly<Record<string, CommandEntry>> = {
  hello: { handle: hello, fields: HELLO_FIELDS },
  isMaster: { handle: hello, fields: HELLO_FIELDS },
  ismaster: { handle: hello, fields: HELLO_FIELDS },
  ping: { handle: () => reply([]), fields: [] },
  buildInfo: { handle: buildInfo, fields: [] },
  buildinfo: { handle: buildInfo, fields: [] },
  connectionStatus: { handle: connectionStatus, fields: ['showPrivileges'] },
  getParameter: { handle: getParameter, fields: ['*'] },
  serverStatus: { handle: serverStatus, fields: ['*'] },
};
