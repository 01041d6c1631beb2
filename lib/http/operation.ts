import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Parameters, Values } from '../api/parameters.ts';
import type { JsonSchema, Schema } from '../api/schema.ts';
import type { Scope } from '../api/scopes.ts';
import type { SerialisedJson } from '../api/serialised-json.ts';
import type { Act } from '../audit/append.ts';
import type { Refusal } from '../base/errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { Answer, PageAnswer, PlainAnswer, RpcAnswer } from './answers.ts';
import { type ApiEvent, type ApiResponse, methodOf } from './request.ts';

/**
 * The callers that an operation admits. The operation itself checks permissions for rooms and
 * messages.
 */
type Access = 'anyone' | 'user' | 'admin';

/**
 * A collection that an answer may depend on. The read markers (`reads`) include the pending changes
 * of this process.
 */
export type Source = 'rooms' | 'messages' | 'users' | 'reads' | 'threads' | 'saved' | 'epochs';

/** The input of an operation. */
export type Input<
  Path extends Parameters = Parameters,
  Query extends Parameters = Parameters,
  Body extends Parameters = Parameters,
> = {
  path: Values<Path>;
  query: Values<Query>;
  body: Values<Body>;
  /** The request itself, for the few that need its address, source or headers. */
  request: {
    id: string;
    path: string;
    query: Record<string, string | undefined>;
    headers: Record<string, string | undefined>;
    cookies: readonly string[];
    source: string;
  };
  /** The body of the request, if the operation accepts bytes. */
  bytes: AsyncIterable<Uint8Array>;
  /** The body of the request as it came, for an operation that reads it itself. */
  raw: () => Uint8Array;
};

/** The result of an operation, as pre-serialised JSON or not. */
type Result<Shown> = Shown | SerialisedJson<Shown>;

/** A security event, and the user or the thing that it is about, by its id. */
type SecurityEvent = { event: string; whom?: string | undefined; what?: string | undefined };

/** One method of one path: its callers, its input, and its work. */
export type Operation<
  Path extends Parameters,
  Query extends Parameters,
  Body extends Parameters,
  Who extends Access,
  Shown = unknown,
> = {
  summary: string;
  access: Who;
  /** The scope that a token with scopes needs; without one, any token will do. */
  scope?: Scope;
  /**
   * Refuses (403) what the caller and the path alone show to be forbidden, before anything that was
   * sent is looked at. A variable of the path that cannot be read is undefined here, and refused
   * later.
   */
  permit?: (request: { caller: Caller | undefined; path: Partial<Values<Path>> }) => void;
  path?: Path;
  query?: Query;
  body?: Body;
  /** The body must have at least one of its optional parameters. */
  needsAny?: true;
  /**
   * The documented example of a call that needs another program, because none can be generated for
   * it.
   */
  example?: {
    path?: Record<string, string>;
    query?: Record<string, string>;
    body?: Record<string, unknown>;
    answer?: NoInfer<Shown>;
  };
  status: 200 | 201 | 204;
  /**
   * The media type of a response that is not JSON: a page for people (`PageAnswer`), or a file of
   * such a page.
   */
  type?: 'text/html' | '*/*';
  /**
   * The request or the response has bytes instead of JSON: those of a file (`Bytes`), or of a
   * `Picture`.
   */
  takesBytes?: true;
  givesBytes?: 'file' | 'picture';
  /**
   * Called by other programs in their own formats: it reads the body itself, JSON or a form, and
   * may answer in their format.
   */
  isForeign?: true;
  /** True if a change with this body has a limit of its own, instead of the account's rate. */
  isUncounted?: (body: object) => boolean;
  /** JSON-RPC: the operation reads the body, and counts the changes in it itself. */
  isRpc?: true;
  /**
   * The fields of a form that other programs send instead of JSON, with their meanings: the
   * operation reads it itself.
   */
  form?: Record<string, string | { optional: string }>;
  /** The schema of the response body, if there is one. */
  answer?: Schema<Shown>;
  /** The headers that the response may have in addition to those of every response. */
  headers?: Record<string, JsonSchema>;
  /**
   * The representation has an `ETag`: a read accepts `If-None-Match` (304), a change `If-Match`
   * (412).
   */
  hasTag?: true;
  /**
   * Every collection that the response of a read depends on, besides its input, its caller and the
   * settings. The response is cached until one of them changes. Omit it for a response that depends
   * on the clock, and for an operation that changes something.
   */
  remember?: readonly Source[];
  /** Callers who must set up a second factor may call it before they have. */
  isForSetUp?: true;
  /** A retry with the same `Idempotency-Key` gets the first response again. */
  isIdempotent?: true;
  /** The security event that is logged after a success, or several, without secrets. */
  security?: (input: Input<Path, Query, Body>, shown: NoInfer<Shown>) => SecurityEvent | SecurityEvent[] | undefined;
  /**
   * The acts that the audit log records before the operation runs. It is asked for every caller
   * with an account, and looks at the database for administrators alone.
   */
  audit?: (input: Input<Path, Query, Body>, caller: Caller) => Act[] | Promise<Act[]>;
  /** The interface specification prescribes its errors to the letter: their bodies lack `code`. */
  isSpecified?: true;
  /** The refusals beyond those that follow from `access`, `scope` and the parameters. */
  refusals?: readonly Refusal[];
  run: (
    input: Input<Path, Query, Body> & { caller: Who extends 'anyone' ? Caller | undefined : Caller },
  ) => Promise<Result<NoInfer<Shown>> | Answer<Result<NoInfer<Shown>>> | PlainAnswer | PageAnswer | RpcAnswer>;
};

/** The operations of one path, by method. */
// biome-ignore lint/suspicious/noExplicitAny: each operation has and checks its own parameters
export type Operations = Record<string, Operation<any, any, any, any, any>>;

/** Declares an operation; from here the types of its parameters reach `run`. */
export const operation = <Path extends Parameters, Query extends Parameters, Body extends Parameters, Who extends Access, Shown>(
  definition: Operation<Path, Query, Body, Who, Shown>,
): Operation<Path, Query, Body, Who, Shown> => definition;

/** True if the interface specification prescribes a path to the letter. */
export const isSpecified = (operations: Operations): boolean => Object.values(operations).some((one) => one.isSpecified);

/**
 * The methods of a path, for `Allow`. Every readable path supports HEAD, except where the
 * specification lists other methods.
 */
export function allowedMethods(operations: Operations): string {
  const own = Object.keys(operations).flatMap((method) =>
    method === 'GET' && !isSpecified(operations) ? ['GET', 'HEAD'] : [method],
  );
  return [...own, 'OPTIONS'].join(', ');
}

/** True if an operation is a message or a change, which count against the account's rate. */
export const isWrite = (method: string, { access, isRpc }: Operations[string]): boolean =>
  access !== 'anyone' && method !== 'GET' && !isRpc;

/**
 * The operation that a request is for; only to be asked below the step that rejects unknown
 * methods.
 */
export function operationFor(operations: Operations, event: ApiEvent): Operations[string] {
  const found = operations[methodOf(event)];
  if (!found) throw new Error(`${methodOf(event)} passed the method check without an operation`);
  return found;
}

/**
 * A function as Lambda calls it. `operations` are those that it was made of, for code that lists
 * the operations of the service.
 */
export type Handler = ((event: APIGatewayProxyEventV2, context: Context) => Promise<ApiResponse>) & {
  readonly operations: Operations;
  /** The operations of each path, if the function has several. */
  readonly family?: Record<string, Operations>;
};
