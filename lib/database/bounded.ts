import type { Collection, Document } from 'mongodb';
import { deadlineOfRequest } from '../base/deadline.ts';
import { serviceUnavailable } from '../base/errors.ts';
import { database } from './client.ts';

/**
 * The longest time of one call in the database. It is less than the socket's timeout, so that the
 * driver does not send a running call again.
 */
const longestCallMs = 3_000;

/** The position of the options among the arguments of a collection's methods. */
const methods = {
  find: 1,
  findOne: 1,
  aggregate: 1,
  countDocuments: 1,
  insertOne: 1,
  insertMany: 1,
  bulkWrite: 1,
  deleteOne: 1,
  deleteMany: 1,
  findOneAndDelete: 1,
  updateOne: 2,
  updateMany: 2,
  findOneAndUpdate: 2,
} as const satisfies Partial<Record<keyof Collection, number>>;

/** The methods that return a cursor; its reads return the promises. */
const returnsCursor = new Set<string>(['find', 'aggregate']);

/**
 * A collection of the current database. Calls of a request end at the request's deadline, and after
 * `longestCallMs` at the latest: the database itself aborts them (`maxTimeMS`). Outside a request,
 * such as on the command line, calls are not limited.
 */
export function collection<T extends Document>(name: string): Collection<T> {
  let known = { database, unbounded: database.collection<T>(name) };
  const current = () => {
    if (known.database !== database) known = { database, unbounded: database.collection<T>(name) };
    return known.unbounded;
  };
  const bound = (method: string, position: number) =>
    function callWithinTime(...parameters: unknown[]) {
      const unbounded = current();
      const call = unbounded[method as keyof typeof methods] as (...parameters: unknown[]) => unknown;
      const left = timeLeft();
      if (left === undefined) return call.apply(unbounded, parameters);
      // A refusal is a promise. If it was thrown here, nobody would await the promises of calls
      // just before this one, and the rejection of one of them would end the process.
      if (left <= 0 && !returnsCursor.has(method)) return Promise.reject(serviceUnavailable());
      const bounds = left > 0 ? { maxTimeMS: left } : { signal: AbortSignal.abort(serviceUnavailable()) };
      const options = parameters[position] as object | undefined;
      return call.apply(unbounded, [...parameters.slice(0, position), { ...options, ...bounds }]);
    };
  const calls = Object.entries(methods).map(([method, position]) => [method, bound(method, position)] as const);
  const others = new Proxy({}, { get: (_, key, handle) => Reflect.get(current(), key, handle) });
  return Object.assign(Object.create(others) as Collection<T>, Object.fromEntries(calls));
}

/**
 * The longest time of a call that begins now, in milliseconds; undefined outside a request. Throws
 * 503 after the request's deadline.
 */
export function timeOfCall(): number | undefined {
  const left = timeLeft();
  if (left !== undefined && left <= 0) throw serviceUnavailable();
  return left;
}

function timeLeft(): number | undefined {
  const deadline = deadlineOfRequest();
  return deadline === undefined ? undefined : Math.min(Math.floor(deadline - performance.now()), longestCallMs);
}
