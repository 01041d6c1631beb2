import { describe, expect, it } from 'vitest';
import { createCalls } from '../src/calls.ts';
import { ChatError } from '../src/index.ts';

/** Creates calls that record their requests and get the given response. */
function callsAnswered(answer: () => Response, settings: { token?: string; baseUrl?: string } = {}) {
  const requests: Request[] = [];
  const fetch = async (request: Request) => {
    requests.push(request);
    return answer();
  };
  const calls = createCalls({ baseUrl: 'https://chat.example.org', retry: { attempts: 1 }, ...settings, fetch });
  return { calls, requests };
}

const empty = () => new Response(null, { status: 204 });

describe('a call', () => {
  it('a call fills the path and the query, and leaves out what is undefined', async () => {
    const { calls, requests } = callsAnswered(() => Response.json([]));
    await calls.GET('/api/rooms/{room}', { params: { path: { room: 'a/b?c' } } });
    await calls.GET('/api/messages', { params: { query: { room: 'r', limit: 5, after: undefined as never } } });
    await calls.GET('/api/rooms');
    expect(requests.map(({ url }) => url)).toEqual([
      'https://chat.example.org/api/rooms/a%2Fb%3Fc',
      'https://chat.example.org/api/messages?room=r&limit=5',
      'https://chat.example.org/api/rooms',
    ]);
  });

  it('a call goes to the same address, with or without a slash at the end of the base URL', async () => {
    const { calls, requests } = callsAnswered(() => Response.json([]), { baseUrl: 'https://chat.example.org/chat/' });
    await calls.GET('/api/rooms');
    expect(requests[0]?.url).toBe('https://chat.example.org/chat/api/rooms');
  });

  it('a call carries the token and its headers, and never follows a redirect', async () => {
    const { calls, requests } = callsAnswered(() => Response.json({}), { token: 't' });
    await calls.PATCH('/api/rooms/{room}', {
      params: { path: { room: 'r' }, header: { 'If-Match': '"1"' } },
      body: { name: 'New' },
      headers: { 'X-Trace': '1' },
    });
    const [request] = requests;
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      'content-type': 'application/json',
      'if-match': '"1"',
      'x-auth-token': 't',
      'x-trace': '1',
    });
    expect(request).toMatchObject({ method: 'PATCH', redirect: 'error' });
    expect(await request?.json()).toEqual({ name: 'New' });
  });

  it('a call has an idempotency key where that makes it safe to repeat, or the key that the caller gives', async () => {
    const { calls, requests } = callsAnswered(() => Response.json({}));
    const body = { room: 'r', text: 'Hello' };
    await calls.POST('/api/messages', { body });
    await calls.POST('/api/messages', { body });
    await calls.POST('/api/messages', { body, params: { header: { 'Idempotency-Key': 'mine' } } });
    await calls.POST('/api/messages', { body, params: { header: { 'Idempotency-Key': undefined as never } } });
    await calls.GET('/api/rooms');
    const keys = requests.map(({ headers }) => headers.get('Idempotency-Key'));
    const random = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([random, random, 'mine', random, null]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('a call sends bytes as they are, with their type', async () => {
    const { calls, requests } = callsAnswered(empty);
    const params = { path: { file: 'f' } };
    await calls.PUT('/api/files/{file}/content', { params, body: new Blob(['abc'], { type: 'text/plain' }) });
    expect(requests[0]?.headers.get('Content-Type')).toBe('text/plain');
    expect(await requests[0]?.text()).toBe('abc');
  });

  it('a call reads the response in the form that the caller asks for', async () => {
    const { calls } = callsAnswered(() => new Response('{"a":1}'));
    const params = { path: { file: 'f' } };
    expect(await calls.GET('/api/files/{file}/content', { params })).toMatchObject({ data: { a: 1 } });
    expect(await calls.GET('/api/files/{file}/content', { params, parseAs: 'text' })).toMatchObject({ data: '{"a":1}' });
    const { data } = await calls.GET('/api/files/{file}/content', { params, parseAs: 'blob' });
    expect(await (data as Blob).text()).toBe('{"a":1}');
    const streamed = await calls.GET('/api/files/{file}/content', { params, parseAs: 'stream' });
    expect(await new Response(streamed.data as ReadableStream).text()).toBe('{"a":1}');
  });

  it('a call has no data if the response is empty', async () => {
    const { calls } = callsAnswered(empty);
    const answer = await calls.DELETE('/api/rooms/{room}', { params: { path: { room: 'r' } } });
    expect(answer).toMatchObject({ data: undefined, response: { status: 204 } });
    expect('error' in answer).toBe(false);
  });

  it('a call gives the body of an error response, even if it is the page of a proxy', async () => {
    const refusal = { title: 'Not Found', description: 'There is no such room.' };
    const params = { path: { room: 'r' } };
    const own = callsAnswered(() => Response.json(refusal, { status: 404 }));
    expect(await own.calls.GET('/api/rooms/{room}', { params })).toMatchObject({ error: refusal });
    const proxy = callsAnswered(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    expect(await proxy.calls.GET('/api/rooms/{room}', { params })).toMatchObject({ error: '<h1>Bad gateway</h1>' });
  });

  it('a call fails if a page comes instead of data, as from the sign-in page of a network', async () => {
    const { calls } = callsAnswered(() => new Response('<h1>Accept our terms</h1>'));
    await expect(calls.GET('/api/rooms')).rejects.toThrow(SyntaxError);
  });

  it('a call throws a ChatError without a status if nothing answers, and the reason of the caller if the caller aborts it', async () => {
    const { calls } = callsAnswered(() => {
      throw new TypeError('fetch failed');
    });
    const failure = await calls.GET('/api/rooms').catch((error) => error);
    expect(failure).toBeInstanceOf(ChatError);
    expect(failure).toMatchObject({ status: 0, message: 'No answer from https://chat.example.org: fetch failed' });
    const signal = AbortSignal.abort();
    await expect(calls.GET('/api/rooms', { signal })).rejects.toThrow(TypeError);
  });
});
