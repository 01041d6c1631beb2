import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import type { OpenApi, Response } from '../../../lib/reference/openapi.ts';
import { pageWords } from '../../../lib/reference/web-page.ts';
import { routes } from '../../../tools/harness/functions.ts';
import { runCommand } from '../../support/run-command.ts';
import { faultsOf } from '../../support/sockets.ts';
import { inProcess as call } from '../../support/transports.ts';
import { startDatabase } from '../../support/worker.ts';

const source = await readFile('docs/openapi.json', 'utf8');
const document: OpenApi = JSON.parse(source);

describe('the OpenAPI document', () => {
  it('the OpenAPI document is up to date, as are all files that are generated from the operations', async () => {
    await startDatabase();
    const environment = { MONGODB_DATABASE: `chat_test_${randomBytes(6).toString('hex')}` };
    const { code, stderr } = await runCommand(['node', 'tools/openapi/main.ts', '--check'], { environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('the OpenAPI document passes an independent linter without a warning', async () => {
    const problems = await lintFromString({ source, config: await createConfig({ extends: ['recommended-strict'] }) });
    expect(problems.map(({ message, location, severity }) => ({ message, severity, at: location[0]?.pointer }))).toEqual([]);
  });

  it('the OpenAPI document has every path of serverless.yml', () => {
    const named = routes.map(({ path }) => path).filter((path) => path !== '*' && path !== '/{page}');
    const paths = [...named, ...Array.from(pageWords, (word) => `/${word}`)];
    expect([...Object.keys(document.paths), ...Object.keys(document['x-pages'])].sort()).toEqual(paths.sort());
  });

  it('the OpenAPI document has an example of every operation with a body, from a real request unless another program has a part in it', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const withoutExample = operations.filter(
      ({ requestBody, responses }) => ![requestBody, ...Object.values(responses)].every((message) => hasExamples(message)),
    );
    expect(withoutExample.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('the OpenAPI document describes the purpose of every parameter, field, header and status', () => {
    expect(undescribed(document.paths)).toEqual([]);
    expect(undescribed(document.components)).toEqual([]);
  });

  it('the OpenAPI document is served to anyone', async () => {
    const { status, body } = await call('GET', '/api/openapi.json');
    expect({ status, body }).toEqual({ status: 200, body: document });
  });
});

describe('docs/push.md', () => {
  it('docs/push.md shows frames as the AsyncAPI document has them', async () => {
    const page = await readFile('docs/push.md', 'utf8');
    const [, fromClient = '', fromServer = ''] = [...page.matchAll(/^```json\n([^`]+)```$/gm)].map(([, code]) => code);
    const faults = [fromClient, fromServer].flatMap((frames, at) =>
      frames
        .trim()
        .split('\n')
        .flatMap((frame) => faultsOf(JSON.parse(frame), ['client', 'server'][at])),
    );
    expect(faults).toEqual([]);
  });

  it('the AsyncAPI document is served to anyone', async () => {
    const { status, body } = await call('GET', '/api/asyncapi.json');
    expect({ status, body }).toEqual({ status: 200, body: JSON.parse(await readFile('docs/asyncapi.json', 'utf8')) });
  });
});

function hasExamples(message: object | undefined): boolean {
  return Object.values((message as Response | undefined)?.content ?? {}).every(
    (content) => 'example' in content || 'examples' in content,
  );
}

/** The places without a description: parameters, headers, responses, and fields of objects. */
function undescribed(part: unknown, at = ''): string[] {
  if (typeof part !== 'object' || part === null || /\/examples?$/.test(at)) return [];
  const isDescribable =
    /\/(parameters|properties|headers|responses)\/[^/]+$/.test(at) && !('$ref' in part && /\/(headers|responses)\//.test(at));
  const isMissing = isDescribable && !('description' in part && String(part.description).length > 10);
  return [...(isMissing ? [at] : []), ...Object.entries(part).flatMap(([key, inner]) => undescribed(inner, `${at}/${key}`))];
}
