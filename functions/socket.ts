import { removeConnection } from '../lib/gateway/connections.ts';
import { answerFrame, openConnection } from '../lib/gateway/socket.ts';
import { socketEndpoint } from '../lib/http/socket-endpoint.ts';
import { protocol } from '../lib/push/frames.ts';

/** The WebSocket connections to a gateway: handshakes, frames from clients, and disconnections. */
export const handler = socketEndpoint({ protocol, open: openConnection, answer: answerFrame, close: removeConnection });
