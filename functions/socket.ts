import { removeConnection } from '../lib/gateway/connections.ts';
import { answerFrame, openConnection } from '../lib/gateway/socket.ts';
import { socketEndpoint } from '../lib/http/socket-endpoint.ts';
import { protocol } from '../lib/push/frames.ts';

/** WebSockets to a gateway: their handshakes, what clients send over them, and their ends. */
export const handler = socketEndpoint({ protocol, open: openConnection, answer: answerFrame, close: removeConnection });
