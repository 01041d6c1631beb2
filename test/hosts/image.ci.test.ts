import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { MongoClient } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json'));
const { scripts } = manifest;
const dependenciesOf = (name: string) => JSON.parse(read(`packages/${name}/package.json`)).dependencies;
const dependencies = { ...manifest.dependencies, ...dependenciesOf('embedded-mongodb'), ...dependenciesOf('import') };
const dockerfile = read('Dockerfile');
const unit = read('hosts/server/chat-service.service');
const compose = load(read('compose.yaml'), { schema: YAML11_SCHEMA }) as {
  services: Record<
    string,
    {
      profiles: string[];
      command?: string[];
      ports?: string[];
      volumes?: string[];
      environment?: Record<string, unknown>;
      depends_on?: Record<string, unknown>;
    }
  >;
  volumes: Record<string, unknown>;
};

const copiedIn = (stages: string) =>
  [...stages.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '));
/**
 * The files copied from the project while the image is built, and those in the final image: its
 * last stage.
 */
const copied = copiedIn(dockerfile);
const shipped = copiedIn(dockerfile.slice(dockerfile.lastIndexOf('\nFROM ')));
const folders = shipped.filter((path) => !path.includes('.'));
const sources = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^packages\/\w[\w-]*\/test\//.test(`${folder}/${file}`))
    .map((file) => `${folder}/${file}`),
);
/** Their imports, except types, which do not exist at run time. */
const imported = sources.flatMap((file) =>
  [...read(file).matchAll(/^(?:import (?!type )|\}|export ).*\bfrom '([^'\n]+)'(?: with .+)?;$|\bimport\('([^'\n]+)'\)/gm)].map(
    ([, name, late = '']) => ({ file, name: name ?? late }),
  ),
);

describe('the image', () => {
  it('the image copies what exists, and what .dockerignore lets through', () => {
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect(read('.dockerignore').trim().split('\n')).toEqual([
      '*',
      ...copied.map((path) => `!${path}`).filter(unique),
      'packages/*/test',
      'packages/*/dist',
    ]);
  });

  it('the image has every package that is imported', () => {
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

  it('the image has every file that is imported', () => {
    const files = imported
      .filter(({ name }) => name.startsWith('.'))
      .map(({ file, name }) => new URL(name, `file:///${file}`).pathname.slice(1));
    expect(files).toContain('docs/openapi.json');
    expect(files.filter((file) => !sources.includes(file) && !shipped.includes(file))).toEqual([]);
  });

  it('the image can be warmed up and started with only the files that it copies', async () => {
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

  it('the image runs what `npm run serve` runs, without privileges, and has a health check', () => {
    const [, settings] = /^ENV (MALLOC_.+)$/m.exec(dockerfile) ?? [];
    expect(`env ${settings} ${commandOf(/^CMD (.+)$/m)}`).toBe(scripts.serve);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^USER node\n(.*\n)*RUN \["node", "hosts\/server\/warm-up.js"\]$/m);
    const check = commandOf(/^HEALTHCHECK .*CMD (.+)$/m).split(' ');
    expect(check[0]).toBe('node');
    expect(sources).toContain(check[1]);
  });
});

describe('compose.yaml', () => {
  it('compose.yaml has the service over its own database, and over a replica set', () => {
    const { chat, 'chat-on-mongodb': onMongodb, mongodb } = compose.services;
    expect([chat?.profiles, onMongodb?.profiles, mongodb?.profiles]).toEqual([['embedded'], ['mongodb'], ['mongodb']]);
    expect(onMongodb?.depends_on).toEqual({ mongodb: { condition: 'service_healthy' } });
  });

  it.each(Object.entries(compose.services))('compose.yaml lets %s write to its volume alone, unprivileged', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^[12]g$/),
    });
  });

  it('compose.yaml takes the address of callers from the proxy, the only one that reaches the port', () => {
    const { chat, 'chat-on-mongodb': onMongodb, mongodb } = compose.services;
    for (const service of [chat, onMongodb]) {
      expect(service).toMatchObject({ ports: ['127.0.0.1:3000:3000'], environment: { TRUST_PROXY: 1 } });
    }
    expect(mongodb?.ports).toBeUndefined();
  });

  it('compose.yaml has a password for MongoDB, which is only in the file .env', async () => {
    const { 'chat-on-mongodb': onMongodb, mongodb } = compose.services;
    const uri = String(onMongodb?.environment?.MONGODB_URI);
    const password = String(mongodb?.environment?.MONGO_INITDB_ROOT_PASSWORD);
    expect(password).toMatch(/^\$\{MONGODB_PASSWORD:-\}$/);
    const { options } = new MongoClient(uri.replace(password, 'secret'));
    expect(options.credentials).toMatchObject({
      username: mongodb?.environment?.MONGO_INITDB_ROOT_USERNAME,
      password: 'secret',
      source: 'admin',
    });
    expect(read('docs/self-hosting.md')).toMatch(/^\(umask 077; printf 'MONGODB_PASSWORD=%s\\n' .* > \.env\)/m);
    expect(read('.gitignore').split('\n')).toContain('.env');

    const directory = await mkdtemp(join(tmpdir(), 'chat-compose-'));
    const [shell = '', option = '', script = ''] = mongodb?.command ?? [];
    const makingKey = script.replaceAll('/tmp/', `${directory}/`).replace(/ && exec (.+)$/, '');
    expect(await runCommand([shell, option, makingKey])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await stat(join(directory, 'key'))).mode & 0o777).toBe(0o600);
    expect(read(join(directory, 'key'))).toMatch(/^[A-Za-z0-9+/]{64}\n$/);
    await rm(directory, { recursive: true });
  });

  it('compose.yaml has the volumes that it uses', () => {
    expect(compose.services.chat?.volumes).toEqual(['data:/data']);
    expect(dockerfile).toContain('DATA_DIR=/data');
    const used = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]));
    expect(used.sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});

describe('the systemd unit', () => {
  it('the systemd unit runs what `npm run serve` runs, and gives it time to end', () => {
    const [, settings] = /^Environment=(MALLOC_.+)$/m.exec(unit) ?? [];
    expect(`env ${settings} ${/^ExecStart=\/usr\/bin\/env (.+)$/m.exec(unit)?.[1]}`).toBe(scripts.serve);
    expect(unit).toMatch(/^KillMode=mixed$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(15);
  });

  it('the systemd unit keeps its data where it may write', () => {
    expect(unit).toMatch(/^StateDirectory=chat-service chat-service-backups$/m);
    expect(unit).toMatch(/^Environment=.* DATA_DIR=\/var\/lib\/chat-service\b/m);
    expect(unit).toMatch(/^CacheDirectory=chat-service$/m);
    expect(unit).toMatch(/^Environment=.* NODE_COMPILE_CACHE=\/var\/cache\/chat-service$/m);
  });

  it('the systemd unit runs as the user that the documentation creates, keeps its files private, and has no needless privileges', () => {
    const user = /^User=(.+)$/m.exec(unit)?.[1];
    const page = read('docs/self-hosting.md');
    expect(page).toMatch(new RegExp(`^useradd --system .* ${user}$`, 'm'));
    expect(page).toMatch(new RegExp(`runuser -u ${user} -- node --env-file=/etc/chat-service.env `));
    expect(unit).toContain('\nEnvironmentFile=-/etc/chat-service.env\n');
    for (const line of [
      'UMask=0077',
      'StateDirectoryMode=0700',
      'MemoryMax=1G',
      'CapabilityBoundingSet=',
      'NoNewPrivileges=true',
    ])
      expect(unit.split('\n')).toContain(line);
    expect(unit).toMatch(/^SystemCallFilter=@system-service\nSystemCallFilter=~@privileged @resources$/m);
  });
});

const unique = <T>(value: T, at: number, all: T[]) => all.indexOf(value) === at;

const commandOf = (line: RegExp): string => (JSON.parse(line.exec(dockerfile)?.[1] ?? '[]') as string[]).join(' ');
