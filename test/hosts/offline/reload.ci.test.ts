import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { commands } from '../../../tools/harness/service.ts';
import { copyProject } from '../../support/documented-clone.ts';
import { aService } from '../../support/services.ts';
import { overHttp } from '../../support/transports.ts';

// A copy, because the test changes a module of the service.
const directory = await mkdtemp(join(tmpdir(), 'chat-reload-'));
const project = join(directory, 'project');
await copyProject(project, { withBuilt: true });
await symlink(resolve('node_modules'), join(project, 'node_modules'));
afterAll(() => rm(directory, { recursive: true }));

it('npm start serves a changed module of a function without a restart', async () => {
  const service = await aService({}, ['sh', '-c', `cd '${project}' && exec ${commands.start.join(' ')}`]);
  const version = async () => ((await overHttp(service.url)('GET', '/api/health')).body as { version: string }).version;
  const path = join(project, 'lib/operating/health.ts');
  const source = await readFile(path, 'utf8');
  expect(await version()).not.toBe('changed');
  await writeFile(path, source.replace('version: manifest.version', "version: 'changed'"));
  await expect.poll(version).toBe('changed');
  await expect.poll(service.output).toContain('Functions reloaded.');
  expect(await service.stop()).toBe(0);
});
