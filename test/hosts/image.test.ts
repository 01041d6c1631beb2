import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const { scripts, dependencies } = JSON.parse(read('package.json'));
const dockerfile = read('Dockerfile');
const unit = read('hosts/server/chat-service.service');
const compose = load(read('compose.yaml')) as {
  services: Record<string, { profiles: string[]; volumes?: string[]; depends_on?: Record<string, unknown> }>;
  volumes: Record<string, unknown>;
  'x-service': Record<string, unknown>;
};

const copiedIn = (stages: string) =>
  [...stages.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '));
/** What is copied from the project while the image is built, and what of it the image itself has: its last stage. */
const copied = copiedIn(dockerfile);
const shipped = copiedIn(dockerfile.slice(dockerfile.lastIndexOf('\nFROM ')));
const folders = shipped.filter((path) => !path.includes('.'));
const sources = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^packages\/\w[\w-]*\/test\//.test(`${folder}/${file}`))
    .map((file) => `${folder}/${file}`),
);
/** What they import, except types, which do not exist at run time. */
const imported = sources.flatMap((file) =>
  [...read(file).matchAll(/^(?:import (?!type )|\}|export ).*\bfrom '([^'\n]+)'(?: with .+)?;$|\bimport\('([^'\n]+)'\)/gm)].map(
    ([, name, late = '']) => ({ file, name: name ?? late }),
  ),
);

describe('the image', () => {
  it('copies what exists, and what .dockerignore lets through', () => {
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect(read('.dockerignore').trim().split('\n')).toEqual([
      '*',
      ...copied.map((path) => `!${path}`).filter(unique),
      'packages/*/test',
      'packages/*/dist',
    ]);
  });

  it('has every package that is imported', () => {
    const names = imported.map(({ name }) => name).filter((name) => !name.startsWith('.') && !name.startsWith('node:'));
    const packages = names.map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
    expect(packages).toContain('mongodb');
    expect(packages.filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
  });

  it('has every file that is imported', () => {
    const files = imported
      .filter(({ name }) => name.startsWith('.'))
      .map(({ file, name }) => new URL(name, `file:///${file}`).pathname.slice(1));
    expect(files).toContain('docs/openapi.json');
    expect(files.filter((file) => !sources.includes(file) && !shipped.includes(file))).toEqual([]);
  });

  it('can be warmed up, and so started, with only what it copies', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'chat-image-'));
    try {
      for (const path of shipped) await cp(path, join(directory, path), { recursive: true });
      await symlink(resolve('node_modules'), join(directory, 'node_modules'));
      const environment = { NODE_COMPILE_CACHE: join(directory, 'compiled') };
      const ended = await runCommand(['node', join(directory, 'hosts/server/warm-up.js')], { environment });
      expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('runs what `npm run serve` runs, without privileges, and has a health check', () => {
    expect(commandOf(/^CMD (.+)$/m)).toBe(scripts.serve);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^USER node\n(.*\n)*RUN \["node", "hosts\/server\/warm-up.js"\]$/m);
    const check = commandOf(/^HEALTHCHECK .*CMD (.+)$/m).split(' ');
    expect(check[0]).toBe('node');
    expect(sources).toContain(check[1]);
  });
});

describe('compose.yaml', () => {
  it('has the service over its own database, and over a replica set', () => {
    const { chat, 'chat-on-mongodb': onMongodb, mongodb } = compose.services;
    expect([chat?.profiles, onMongodb?.profiles, mongodb?.profiles]).toEqual([['embedded'], ['mongodb'], ['mongodb']]);
    expect(onMongodb?.depends_on).toEqual({ mongodb: { condition: 'service_healthy' } });
  });

  it('lets the service write only to its volume', () => {
    expect(compose['x-service']).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
    expect(compose.services.chat?.volumes).toEqual(['data:/data']);
    expect(dockerfile).toContain('DATA_DIR=/data');
    const used = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]));
    expect(used.sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});

describe('the systemd unit', () => {
  it('runs what `npm run serve` runs, and gives it time to end', () => {
    expect(/^ExecStart=\/usr\/bin\/env (.+)$/m.exec(unit)?.[1]).toBe(scripts.serve);
    expect(unit).toMatch(/^KillMode=mixed$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(15);
  });

  it('keeps its data where it may write', () => {
    expect(unit).toMatch(/^StateDirectory=chat-service$/m);
    expect(unit).toMatch(/^Environment=.* DATA_DIR=\/var\/lib\/chat-service\b/m);
    expect(unit).toMatch(/^CacheDirectory=chat-service$/m);
    expect(unit).toMatch(/^Environment=.* NODE_COMPILE_CACHE=\/var\/cache\/chat-service$/m);
  });
});

const unique = <T>(value: T, at: number, all: T[]) => all.indexOf(value) === at;

const commandOf = (line: RegExp): string => (JSON.parse(line.exec(dockerfile)?.[1] ?? '[]') as string[]).join(' ');
