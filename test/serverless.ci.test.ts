import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import esbuildPlugins from '../hosts/aws/esbuild-plugins.ts';
import { loadHandler } from '../hosts/server/http/routes.ts';
import { allowedMethods } from '../lib/http/operation.ts';
import { readConfig } from '../lib/settings/config.ts';
import { functions, otherFunctions, serverless } from '../tools/harness/functions.ts';
import { inProcess as call } from './support/transports.ts';

describe('serverless.yml', () => {
  it('serverless.yml runs Node.js 24 on arm64', () => {
    expect(serverless.provider).toMatchObject({ runtime: 'nodejs24.x', architecture: 'arm64' });
  });

  it('serverless.yml passes on every setting that functions read, with its default', () => {
    const read = new Set<string>();
    const watched = new Proxy<Record<string, string>>({}, { get: (_target, name) => void read.add(String(name)) });
    readConfig(watched);
    const passed: Record<string, string> = serverless.provider.environment;
    expect([...read].filter((name) => !(name in passed))).toEqual([]);
    const defaults = Object.entries(passed).map(([name, value]) => [name, /, '(.*)'}$/.exec(value)?.[1] ?? '']);
    const uri = { MONGODB_URI: 'mongodb://localhost' };
    expect(readConfig({ ...Object.fromEntries(defaults), ...uri })).toEqual(readConfig(uri));
  });

  it('serverless.yml has one function for each file in functions/', async () => {
    expect([...functions, ...otherFunctions].map(({ file }) => file).sort()).toEqual(
      (await readdir('functions')).map((file) => `functions/${file}`).sort(),
    );
  });

  it.each(functions)('serverless.yml gives $name a file that exports its handler and answers OPTIONS: $file', async (route) => {
    const { path, file, exported } = route;
    expect(existsSync(file)).toBe(true);
    expect(exported).toBe('handler');
    const handler = await loadHandler(route);
    expect(handler).toEqual(expect.any(Function));
    const { status, headers } = await call('OPTIONS', path === '*' ? '/nowhere' : path.replaceAll(/\{\w+\}/g, 'x'));
    expect({ status, allow: headers.allow }).toEqual({ status: 204, allow: allowedMethods(handler.operations) });
  });

  it('serverless.yml lets a function send notifications only if it changes what others see', async () => {
    const { withoutDatabase, withoutNotices } = serverless.custom.deployment;
    const changing = await Promise.all(
      functions.map(async (route) => {
        const methods = Object.keys((await loadHandler(route)).operations);
        return methods.some((method) => method !== 'GET') ? route.name : [];
      }),
    );
    // They change what no frame is about: invitations, webhooks, commands, files before they are sent, pictures of people, devices, e-mails, codes, passkeys, what limits have counted, tickets, the first account, and sign-ins that begin.
    const unseen = [
      'files',
      'file',
      'file-content',
      'user-avatar',
      'room-invitations',
      'room-invitation',
      'invitations',
      'room-webhooks',
      'bot-command',
      'bot-webhook',
      'push-subscription',
      'email-digest',
      'codes',
      'user-codes',
      'user-usage',
      'tickets',
      'setup',
      'oidc-start',
      'passkeys',
      'passkey',
    ];
    const telling = functions.map(({ name }) => name).filter((name) => ![...withoutDatabase, ...withoutNotices].includes(name));
    expect(telling.sort()).toEqual(
      changing
        .flat()
        .filter((name) => !unseen.includes(name))
        .sort(),
    );
  });

  it('serverless.yml bundles password hashing, and the list of common passwords, only where they are needed', async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: [...functions, ...otherFunctions].map(({ file }) => file),
      bundle: true,
      platform: 'node',
      format: 'esm',
      metafile: true,
      write: false,
      outdir: 'bundles',
      plugins: esbuildPlugins,
    });
    const bundles = Object.values(metafile.outputs);
    const loads = (module: string, among = functions) =>
      among
        .filter(({ file }) => {
          const bundle = bundles.find(({ entryPoint }) => entryPoint === file);
          return Object.keys(bundle?.inputs ?? {}).some((input) => input.includes(module));
        })
        .map(({ name }) => name);
    expect(loads('node_modules/bcryptjs/')).toEqual([
      'users',
      'user',
      'password',
      'setup',
      'sessions',
      'second-factor',
      'passkeys',
      'passkey',
      'oidc-callback',
      'tokens',
    ]);
    const { withMail, withOidc, withSecretKey } = serverless.custom.deployment;
    expect(loads('hosts/aws/secret-keys.ts', [...functions, ...otherFunctions] as typeof functions)).toEqual(withSecretKey);
    expect(loads('node_modules/openid-client/')).toEqual(withOidc);
    expect(loads('hosts/aws/oidc-secret.ts')).toEqual(withOidc);
    expect(loads('node_modules/@simplewebauthn/')).toEqual(['passkeys', 'passkey-sessions']);
    expect(loads('node_modules/nodemailer/', [...functions, ...otherFunctions] as typeof functions)).toEqual(withMail);
    expect(loads('lib/credentials/common-passwords.ts')).toEqual(['users', 'user', 'password', 'setup']);
    // They sign addresses of files, or look at what is stored: no other may do so.
    const { files, file, 'file-content': content, messages, ...others } = serverless.custom.deployment.withFiles;
    expect({ files, file, content, messages }).toEqual({
      files: ['PutObject'],
      file: ['DeleteObject'],
      content: ['GetObject', 'ListBucket'],
      messages: ['GetObject', 'ListBucket'],
    });
    expect(loads('lib/messages/attachments/uploads.ts')).toEqual(['files', 'file', 'file-content']);
    // Webhooks and commands send no files.
    expect(loads('lib/messages/attachments/arrivals.ts')).toEqual(['room-commands', 'webhook', 'messages', 'file-content']);
    const remove = ['lib/rooms/deletion.ts', 'lib/messages/edit.ts', 'lib/accounts/deletion.ts'].flatMap((module) =>
      loads(module),
    );
    expect(Object.keys(others).sort()).toEqual([...remove, 'sweep'].sort());
    expect(loads('node_modules/@zxcvbn-ts/')).toEqual([]);
    const haveList = outputFiles.filter(({ text }) => text.includes('"password1"')).map(({ path }) => basename(path));
    expect(haveList).toEqual(['users.js', 'user.js', 'password.js', 'setup.js']);
    // Only those that tell others what they have done need to reach anybody.
    expect(loads('node_modules/ws/')).toEqual([]);
    const { withoutDatabase } = serverless.custom.deployment;
    expect(loads('node_modules/mongodb/')).toEqual(
      functions.map(({ name }) => name).filter((name) => !withoutDatabase.includes(name)),
    );
  });
});
