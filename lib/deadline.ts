import { serviceUnavailable } from './errors.ts';

/** How long a whole request may take, in milliseconds: well under the 20 s of a function and the 30 s of the gateway. */
export const requestDeadline = 10_000;

/** Waits for `work`, but not past `deadline` (of `performance.now()`): then it is 503, whatever becomes of the work. */
export function before<T>(deadline: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(serviceUnavailable()), deadline - performance.now());
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
