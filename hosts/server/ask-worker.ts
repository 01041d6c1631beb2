import type { Worker } from 'node:cluster';

/** A message between processes; several kinds use one channel. */
type Message = { kind: string };

/** Sends a message to a worker; one that ends meanwhile does not get it. */
export function tellWorker(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Sends a message to a worker, and resolves to its next message of a kind; undefined if the worker ends before. */
export function askWorker<Answer extends Message>(worker: Worker, message: Message, kind: string): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const end = (answer: Answer | undefined) => {
      worker.off('message', hear);
      worker.off('disconnect', leave);
      resolve(answer);
    };
    // Not `once()`: of two messages that come together, it would miss the second while it is waited for again.
    const hear = (answer: Answer) => answer.kind === kind && end(answer);
    const leave = () => end(undefined);
    worker.on('message', hear);
    worker.on('disconnect', leave);
    if (worker.isConnected()) tellWorker(worker, message);
    else leave();
  });
}
