import type { Parameters, Values } from '../api/parameters.ts';
import type { JsonSchema, Schema } from '../api/schema.ts';
import type { Caller } from '../identity/tokens.ts';
import { type ApiEvent, methodOf } from './request.ts';

/** Who may call an operation at all; what a caller may do to which room or message is the operation's own affair. */
export type Access = 'anyone' | 'user' | 'admin';

/** What a token may be confined to; one without scopes may do all that its user may. */
export const scopes = [
  'rooms:read',
  'rooms:write',
  'members:read',
  'members:write',
  'messages:read',
  'messages:write',
  'account',
  'admin',
] as const;

/** One of them. */
export type Scope = (typeof scopes)[number];

/** What an operation works on. */
export type Input<Query extends Parameters = Parameters, Body extends Parameters = Parameters> = {
  /** The variable parts of the path, as they came: what they should be is the object's affair (404), not the input's (400). */
  path: Record<string, string | undefined>;
  query: Values<Query>;
  body: Values<Body>;
  /** The request itself, for the few that need its address, source or headers. */
  request: {
    path: string;
    query: Record<string, string | undefined>;
    headers: Record<string, string | undefined>;
    source: string;
  };
};

/** One method of one path: who may call it, what it takes, and what it does. */
export type Operation<Query extends Parameters, Body extends Parameters, Who extends Access, Shown = unknown> = {
  summary: string;
  access: Who;
  /** What a token with scopes must have among them; absent: any token will do. */
  scope?: Scope;
  /** What else is known to be refused (it throws 403) from the caller and the path alone, before anything that was sent is looked at. */
  permit?: (request: { caller: Caller | undefined; path: Input['path'] }) => void;
  query?: Query;
  body?: Body;
  /** Whether at least one of the body's parameters must be there, though each may be left out. */
  needsAny?: true;
  status: 200 | 201 | 204;
  /** The type of its answer when that is not JSON: a page for people. */
  type?: 'text/html';
  /** What its answer shows; absent when there is no body. */
  answer?: Schema<Shown>;
  /** The headers that its answer may have beside those of every answer. */
  headers?: Record<string, JsonSchema>;
  /** Whether a retry with the same `Idempotency-Key` gets the first answer again. */
  isIdempotent?: true;
  /** What it refuses beyond what follows from `access`, `scope`, the parameters and the path: the sentences by status. */
  refusals?: Refusals;
  run: (
    input: Input<Query, Body> & { caller: Who extends 'anyone' ? Caller | undefined : Caller },
  ) => Promise<NoInfer<Shown> | Answer<NoInfer<Shown>>>;
};

/** The sentences with which an operation may be refused, by status. */
export type Refusals = { readonly [Status in 400 | 401 | 403 | 404 | 409 | 410 | 413 | 429]?: readonly string[] };

/** The operations of one path, by method. */
// biome-ignore lint/suspicious/noExplicitAny: each operation has parameters of its own, and checks them before they reach `run`
export type Operations = Record<string, Operation<any, any, any, any>>;

/** Declares an operation; its parameters' types reach `run` from here. */
export const operation = <Query extends Parameters, Body extends Parameters, Who extends Access, Shown>(
  definition: Operation<Query, Body, Who, Shown>,
): Operation<Query, Body, Who, Shown> => definition;

/** The operation that a request is for; only to be asked below the step that refuses unknown methods. */
export function operationFor(operations: Operations, event: ApiEvent): Operations[string] {
  const found = operations[methodOf(event)];
  if (!found) throw new Error(`${methodOf(event)} passed the method check without an operation`);
  return found;
}

/** A value with headers of its own. */
export class Answer<T = unknown> {
  readonly value: T;
  readonly headers: Record<string, string>;

  constructor(value: T, headers: Record<string, string>) {
    this.value = value;
    this.headers = headers;
  }
}
