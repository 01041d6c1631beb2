import { clientFrames, protocol, serverFrames, ticketPrefix } from '../../lib/push/frames.ts';
import manifest from '../../package.json' with { type: 'json' };
import { schemaCollector } from './components.ts';

/**
 * The AsyncAPI 3 document of the WebSocket frames, from the schemas that the OpenAPI document uses.
 */
export function describeSocket() {
  const { schemas, refer } = schemaCollector();
  const described = { ...messages('client', clientFrames), ...messages('server', serverFrames) };
  const payloads = Object.fromEntries(
    Object.entries(described).map(([name, { payload, summary }]) => [name, { name, summary, payload: refer(payload) }]),
  );
  const names = Object.keys(described);
  const of = (side: string) => names.filter((name) => name.startsWith(side)).map(reference);

  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Chat service: push',
      version: manifest.version,
      description: `One WebSocket carries the news of all rooms of its user. Its address and a ticket come from \`POST /api/tickets\`; the subprotocols are \`${protocol}\` and \`${ticketPrefix}\` with the ticket. A frame is one JSON text.`,
      license: { name: manifest.license },
    },
    defaultContentType: 'application/json',
    servers: {
      socket: {
        host: 'chat.example.org',
        pathname: '/socket',
        protocol: 'wss',
        security: [{ $ref: '#/components/securitySchemes/ticket' }, { $ref: '#/components/securitySchemes/token' }],
      },
    },
    channels: {
      socket: {
        address: '/',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      receive: { action: 'receive', channel: { $ref: '#/channels/socket' }, messages: of('client') },
      send: { action: 'send', channel: { $ref: '#/channels/socket' }, messages: of('server') },
    },
    components: {
      securitySchemes: {
        ticket: { type: 'httpApiKey', in: 'header', name: 'Sec-WebSocket-Protocol', description: 'For browsers: a ticket.' },
        token: { type: 'httpApiKey', in: 'header', name: 'X-Auth-Token', description: 'For everyone else: a token.' },
      },
      messages: payloads,
      schemas,
    },
  };
}

const messages = (side: 'client' | 'server', frames: typeof clientFrames | typeof serverFrames) =>
  Object.fromEntries(
    Object.entries(frames).map(([type, payload]) => {
      const name = `${side}.${type}`;
      return [name, { payload, summary: summaries[name] }];
    }),
  );

const reference = (name: string) => ({ $ref: `#/channels/socket/messages/${name}` });

const summaries: Record<string, string> = {
  'client.hello': 'The first frame, which asks for news.',
  'client.ping': 'Keeps the connection, and asks for the rooms with news.',
  'client.typing': 'The user is typing in a room.',
  'client.watch': 'The client shows these people, and subscribes to their presence. The answer is a `presence` of all of them.',
  'client.active': 'The user is active. Once a minute is enough.',
  'server.hello': 'The answer to hello. Read the positions of the rooms after it, to miss nothing.',
  'server.room': 'The feed of a room has news.',
  'server.left': "The user's membership ended, or the room was deleted.",
  'server.typing': 'Someone is typing in a room.',
  'server.activity': 'A bot or an agent does something in a thread.',
  'server.chunk': 'The text of a message that streams has grown.',
  'server.read': 'The user has read a room, on any device.',
  'server.presence': 'The presence of watched people: all of them after `watch`, then changes.',
  'server.person': 'Someone whom the client watches has changed their name or status.',
  'server.pong': 'The answer to ping.',
  'server.error': 'The last frame of the client was refused.',
  'server.bye': 'The connection is about to be closed.',
};
