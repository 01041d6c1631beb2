import { inProcess, type SentRequest } from '../transports.ts';
import { serveParent } from './serve-parent.ts';

/** A call to make. */
export type CallJob = { method: string; path: string; sent: SentRequest };

serveParent(({ method, path, sent }: CallJob) => inProcess(method, path, sent));
