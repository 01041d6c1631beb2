import { socketEndpoint } from '../lib/http/socket-endpoint.ts';
import { removeConnection } from '../lib/push/connections.ts';
import { protocol } from '../lib/push/frames.ts';
import { answerFrame, openConnection } from '../lib/push/socket.ts';

/** WebSockets to a gateway: their handshakes, what clients send over them, and their ends. */
export const handler = socketEndpoint({ protocol, open: openConnection, answer: answerFrame, close: removeConnection });
