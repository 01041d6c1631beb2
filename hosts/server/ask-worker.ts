import type { Worker } from 'node:cluster';

/** A message between processes. Several kinds share a channel. */
type Message = { kind: string };

/** Sends a message to a worker. It is lost if the worker ends. */
export function tellWorker(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/**
 * Sends a message to a worker and resolves to its next message of the given kind; `undefined` if
 * the worker ends first.
 */
export function askWorker<Answer extends Message>(worker: Worker, message: Message, kind: string): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const end = (answer: Answer | undefined) => {
      worker.off('message', hear);
      worker.off('disconnect', leave);
      resolve(answer);
    };
    // `once()` would miss the second of two messages that arrive together.
    const hear = (answer: Answer) => answer.kind === kind && end(answer);
    const leave = () => end(undefined);
    worker.on('message', hear);
    worker.on('disconnect', leave);
    if (worker.isConnected()) tellWorker(worker, message);
    else leave();
  });
}
