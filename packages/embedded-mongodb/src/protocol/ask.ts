import { connect } from 'node:net';
import { decode, encode } from '../values/bson.ts';
import type { Doc } from '../values/value.ts';
import { addressOf } from './address.ts';
import { messageBytes, messageLength, replyHeadBytes } from './messages.ts';

/** Sends one command to a database of this machine and returns its reply. */
export function ask(uri: string, command: Doc): Promise<Doc> {
  const socket = connect(addressOf(uri));
  return new Promise<Doc>((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The database closed the connection.')));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4 || received.length < messageLength(received)) return;
      resolve(decode(received.subarray(replyHeadBytes)));
      socket.destroy();
    });
    socket.write(messageBytes(encode(command)));
  });
}
