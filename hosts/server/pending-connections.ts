import type { Worker } from 'node:cluster';

/**
 * A message of `node:cluster` between the primary and a worker. The primary accepts connections and
 * passes them on (`newconn`); the worker acknowledges each one.
 */
type ClusterMessage = { act?: string; seq?: number; ack?: number };
type Handle = { close: () => void };

/**
 * Closes the connections that a worker has not taken over when it ends. `node:cluster` forgets
 * them, and their clients would wait in vain.
 */
export function closePendingConnections(worker: Worker): void {
  const { process: child } = worker;
  const pending = new Map<number, Handle>();
  const send = child.send.bind(child) as (...parameters: unknown[]) => boolean;
  child.send = (message: ClusterMessage, handle?: unknown, ...others: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined && handle) pending.set(message.seq, handle as Handle);
    return send(message, handle, ...others);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => ack !== undefined && pending.delete(ack));
  worker.once('exit', () => {
    for (const handle of pending.values()) handle.close();
    pending.clear();
  });
}
