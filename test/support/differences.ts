import { inject } from 'vitest';
import { type Call, inProcess, overHttp, type Reply, type Sent } from '../../tools/harness/transports.ts';

/** A request, by what it shows. */
export type Example = [what: string, method: string, path: string, sent: Sent];

/** One thing in which a door answers otherwise than API Gateway's event, called in process, does. */
export type Difference = { request: string; door: string; part: string; expected: unknown; actual: unknown };

/** The headers that the contract names, and those that keep browsers out. */
const named = [
  'allow',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'cache-control',
  'content-encoding',
  'content-security-policy',
  'content-type',
  'link',
  'referrer-policy',
  'retry-after',
  'set-cookie',
  'strict-transport-security',
  'vary',
  'x-content-type-options',
  'x-frame-options',
  'x-next-cursor',
];

/** Sends each request through every door, a few at a time, and lists in what the answers differ. */
export async function differences(examples: Example[], width = 8): Promise<Difference[]> {
  const found: Difference[] = [];
  for (let at = 0; at < examples.length; at += width) {
    found.push(...(await Promise.all(examples.slice(at, at + width).map(differencesOf))).flat());
  }
  return found;
}

async function differencesOf([what, method, path, sent]: Example): Promise<Difference[]> {
  const expected = parts(await inProcess(method, path, sent), method);
  const ofDoors = doors.map(async ([door, call]) => {
    const actual = parts(await call(method, path, sent), method);
    return Object.keys(expected)
      .filter((part) => JSON.stringify(actual[part]) !== JSON.stringify(expected[part]))
      .map((part) => ({ request: what, door, part, expected: expected[part], actual: actual[part] }));
  });
  return (await Promise.all(ofDoors)).flat();
}

const doors: [string, Call][] = [
  ['under serverless-offline', overHttp(inject('baseUrl'))],
  ['served', overHttp(inject('serveUrl'))],
];

function parts({ status, headers, body }: Reply, method: string): Record<string, unknown> {
  return {
    status,
    ...Object.fromEntries(named.map((name) => [name, headers[name]?.replace(scriptHash, "script-src 'sha256'")])),
    'has x-request-id': headers['x-request-id'] !== undefined,
    // An answer to HEAD has none; of a page, whose script is written as its loader has it, only the first lines are compared.
    body: method === 'HEAD' ? '' : headers['content-type']?.startsWith('text/html') ? String(body).slice(0, 200) : body,
    ...(status === 405 && { 'content-length': headers['content-length'] }),
  };
}

// The hash of a page's script, which is written as its loader has it.
const scriptHash = /script-src 'sha256-[^']+'/;
