import type { Member } from 'chat-service-client';
import { type Calls, createCalls, randomKey } from 'chat-service-client/calls';
import { ChatError, type ErrorBody } from 'chat-service-client/errors';
import { strings } from '../i18n/strings.ts';
import { fetchInTime, takeAhead } from './ahead.ts';

export type {
  Event,
  Id,
  ListedRoom,
  Member,
  Message,
  Notification,
  Room,
  RoomDetails,
  RoomFrame,
  SavedMessage,
  ServerFrame,
  Session,
  Thread,
  Token,
  User,
} from 'chat-service-client';
export { randomKey };

/**
 * Why a call failed: the status (0 without a response), a sentence for people, and when to try
 * again, if known.
 */
export class Failure extends Error {
  override name = 'Failure';
  readonly status: number;
  readonly retryAfter: number | undefined;
  /** The error code, for programs. */
  readonly code: string | undefined;

  constructor(status: number, sentence: string, retryAfter?: number, code?: string) {
    super(sentence);
    this.status = status;
    this.retryAfter = retryAfter;
    this.code = code;
  }

  /** True if the same call may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** A caught problem as a `Failure`; status 0 if it is something else. */
export const asFailure = (problem: unknown): Failure => (problem instanceof Failure ? problem : new Failure(0, ''));

/** The sentence for what went wrong. */
export function sentenceOf(failure: unknown): string {
  if (!(failure instanceof Failure)) return strings.app.failed;
  if (failure.message !== '') return failure.message;
  if (failure.status === 413) return strings.app.tooLarge;
  return failure.status === 0 || failure.isTemporary ? strings.app.unreachable : strings.app.failed;
}

/**
 * Functions of the session that the client calls. The session needs the client too, so they are set
 * later.
 */
export const hooks: Record<'onSignedOut' | 'onSetUpRequired', () => void> & { onProofRequired: () => Promise<boolean> } = {
  onSignedOut: () => {},
  onSetUpRequired: () => {},
  onProofRequired: async () => false,
};

/** The session's token, if the browser does not keep the cookie. */
export const bearer: { token: string | undefined } = { token: undefined };

/**
 * The page's only client of the service. It does not retry: the outbox and the sync decide when to
 * try again.
 */
export const chat: Calls = createCalls({
  baseUrl: '',
  token: () => bearer.token,
  retry: { attempts: 1 },
  fetch: (request) => takeAhead(request) ?? fetchProven(request),
});

/**
 * Fetches. If the service requires it, asks the user to confirm their identity, and fetches again.
 */
async function fetchProven(request: Request): Promise<Response> {
  const again = request.headers.has('Content-Type') ? request.clone() : undefined;
  const response = await fetchInTime(request);
  if (!again || response.status !== 403) return response;
  const { code } = await response
    .clone()
    .json()
    .catch(() => ({}));
  return code === 'proof_required' && (await hooks.onProofRequired()) ? fetchInTime(again) : response;
}

type Answer<T> = Promise<{ data?: T; error?: ErrorBody | undefined; response: Response }>;

/**
 * The data of a call, with the response's headers; throws a `Failure` otherwise. A 401 ends the
 * session.
 */
export async function askFully<T>(call: Answer<T>): Promise<{ data: NonNullable<T>; headers: Headers }> {
  let answer: Awaited<Answer<T>>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof ChatError) throw new Failure(error.status, explain(error.body));
    throw new Failure(0, '');
  }
  const { data, error, response } = answer;
  if (response.ok) return { data: data as NonNullable<T>, headers: response.headers };
  if (response.status === 401 && isSession(response)) hooks.onSignedOut();
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const code = error && 'code' in error ? error.code : undefined;
  if (code === 'second_factor_setup_required') hooks.onSetUpRequired();
  throw new Failure(response.status, explain(error), retryAfter >= 0 ? retryAfter : undefined, code);
}

/**
 * The sentence for people about an error: by its code, or by its parameter. Otherwise the service's
 * own sentence, if that is for people.
 */
function explain(error: ErrorBody | undefined): string {
  const { description = '', code = '' } = (error ?? {}) as { description?: string; code?: string };
  const [, parameter] = /^The '(\w+)' parameter /.exec(description) ?? [];
  if (parameter !== undefined) return faultOf(parameter, description);
  return strings.refused[code as keyof typeof strings.refused] ?? (isForPrograms.test(description) ? '' : description);
}

// The text contains a control character: its position helps more than the rule.
function faultOf(parameter: string, description: string): string {
  const [, character, line, place] = /control character (\S+) \(line (\d+), character (\d+)\)/.exec(description) ?? [];
  if (character !== undefined) return strings.faults.controlCharacter(character, Number(line), Number(place));
  return strings.faults[parameter as keyof Omit<typeof strings.faults, 'controlCharacter'>] ?? '';
}

const isForPrograms = /parameter|request body|'If-Match'|\bJSON\b|auth token/;

/** The data of a call; throws a `Failure` otherwise. */
export const ask = async <T>(call: Answer<T>): Promise<NonNullable<T>> => (await askFully(call)).data;

// A wrong password when logging in says nothing about the session.
const isSession = ({ url }: Response) => !url.endsWith('/api/sessions');

/** One of my memberships, as the list of my rooms has it. */
export type MyMember = Required<
  Pick<Member, 'room_name' | 'seq' | 'last_read' | 'unread' | 'unread_mentions' | 'is_muted' | 'is_favourite'>
> &
  Member;
