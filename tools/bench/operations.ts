import { invocation } from '../harness/transports.ts';

/** The facts about a filled dataset that callers need. */
export type Dataset = {
  token: string;
  /** The room in which messages are read and sent, and its last `seq`. */
  room: string;
  seq: number;
};

/** A call of the service, to be repeated. */
export type Operation = {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  token: string;
  body?: unknown;
  status: number;
};

/** Calls that run concurrently: connection number `n` makes call number `n`, or the only one. */
export type Workload = { name: string; calls: readonly Operation[] };

const text = 'The quick brown fox jumps over the lazy dog. '.repeat(2);

/** The seven operations that make up most of a chat; those that only read come first. */
export function operationsOf({ token, room, seq }: Dataset) {
  const get = (name: string, path: string): Operation => ({ name, method: 'GET', path, token, status: 200 });
  const post = (name: string, path: string, body: unknown): Operation => ({
    name,
    method: 'POST',
    path,
    token,
    body,
    status: 201,
  });
  return {
    whoami: get('whoami', '/api/users/me'),
    rooms: get('a list of rooms', '/api/rooms'),
    page: get('a page of 50 messages', `/api/messages?room=${room}&limit=50`),
    events: get('a page of 50 events', `/api/events?room=${room}&after=${seq - 50}&limit=50`),
    ownRooms: get("the caller's 50 rooms", '/api/members?user=me&limit=50'),
    message: post('a message', '/api/messages', { room, text }),
    newRoom: post('a new room', '/api/directory', { name: 'Another' }),
  };
}

/**
 * The operations as 16 people make them, each with an account of their own: in one room, and each
 * in a room of their own.
 */
export function workloadsOf(shared: Dataset, people: readonly Dataset[]): Workload[] {
  const inOneRoom = people.map(({ token }) => operationsOf({ ...shared, token }));
  const inTheirs = people.map(operationsOf);
  const all = (
    name: string,
    operations: readonly ReturnType<typeof operationsOf>[],
    one: keyof ReturnType<typeof operationsOf>,
  ): Workload => ({ name, calls: operations.map((of) => of[one]) });
  return [
    all('whoami', inOneRoom, 'whoami'),
    // An administrator's.
    all('a list of rooms', [operationsOf(shared)], 'rooms'),
    { name: 'a page of 100 rooms', calls: [pageOfRooms(shared)] },
    all('a page of 50 messages', inOneRoom, 'page'),
    all('a page of 50 messages, each of another room', inTheirs, 'page'),
    { name: 'a page of 50 older messages, each of another room', calls: people.map(older) },
    all('a page of 50 events', inOneRoom, 'events'),
    all('a page of 50 events, each of another room', inTheirs, 'events'),
    all('the rooms of each', inTheirs, 'ownRooms'),
    all('a message', inOneRoom, 'message'),
    all('a message, each to another room', inTheirs, 'message'),
    all('a new room', inTheirs, 'newRoom'),
  ];
}

const pageOfRooms = (dataset: Dataset): Operation => ({ ...operationsOf(dataset).rooms, path: '/api/rooms?limit=100' });

/** A page that is read again each time: a process keeps only the newest ones. */
function older(dataset: Dataset): Operation {
  const { page } = operationsOf(dataset);
  return { ...page, path: `${page.path}&before=${dataset.seq}` };
}

/**
 * A function that calls the real handler with an event of API Gateway, and returns how many
 * milliseconds that took.
 */
export async function prepared({ method, path, token, body, status }: Operation): Promise<() => Promise<number>> {
  const { handler, event, context } = await invocation(method, path, { token, body });
  return async () => {
    const sent = event();
    const since = performance.now();
    const answer = await handler(sent, context);
    const took = performance.now() - since;
    if (answer.statusCode !== status) throw new Error(`${method} ${path} was answered with ${answer.statusCode}: ${answer.body}`);
    return took;
  };
}
