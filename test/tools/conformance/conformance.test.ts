import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, inject, it } from 'vitest';
import { anAdmin } from '../../support/accounts.ts';
import { runCommand } from '../../support/run-command.ts';
import { inProcess as call } from '../../support/transports.ts';

const conformance = (...words: string[]) => runCommand(['node', 'tools/conformance/main.ts', ...words]);

describe('npm run conformance', () => {
  it('finds that this service conforms, and leaves nothing behind', async () => {
    const { token, id } = await anAdmin();
    const { code, stdout, stderr } = await conformance(inject('baseUrl'), '--token', token);
    expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect({ code, stderr, end: stdout.trim().split('\n').at(-1) }).toEqual({
      code: 0,
      stderr: '',
      end: expect.stringMatching(/^(\d+) of \1 rows conform\.$/),
    });
    expect(stdout).toContain('ok    * GET by a user to /api/rooms is answered with 403\n');
    expect((await call('GET', '/api/users?q=conformance-', { token })).body).toEqual([]);
    expect((await call('GET', '/api/members?user=me', { token })).body).toEqual([]);
    expect((await call('GET', '/api/rooms', { token })).body).not.toContainEqual(
      expect.objectContaining({ members: [{ $oid: id }] }),
    );
  });

  it('reports, row by row, what does not conform, and exits with 1', async () => {
    const server = createServer((_request, response) => response.end('{}')).listen(0, 'localhost');
    await once(server, 'listening');
    const { code, stdout } = await conformance(`http://localhost:${(server.address() as AddressInfo).port}`, '--token', 'x');
    server.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}\* GET \/api\/rooms lists every room, each with exactly its five fields: .+/m);
    expect(stdout).toMatch(/^\d+ of \d+ rows conform, \d+ do not\.$/m);
  });

  it.each([
    ['without a token', ['http://localhost:3000']],
    ['without an address', ['--token', 'x']],
    ['with an unknown option', ['http://localhost:3000', '--token', 'x', '--force']],
  ])('prints its usage %s, and exits with 2', async (_what, words) => {
    const { code, stdout, stderr } = await conformance(...words);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Usage: npm run conformance/),
    });
  });
});
