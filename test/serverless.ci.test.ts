import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadHandler } from '../hosts/server/http/routes.ts';
import { allowedMethods } from '../lib/http/operation.ts';
import { readConfig } from '../lib/settings/config.ts';
import { functions, functionsThatMay, otherFunctions, serverless } from '../tools/harness/functions.ts';
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
    // A function has one request at a time.
    expect(readConfig({ ...Object.fromEntries(defaults), ...uri })).toEqual({ ...readConfig(uri), mongodbPoolSize: 2 });
  });

  it('serverless.yml has one function for each file in functions/', async () => {
    const files = [...functions, ...otherFunctions].map(({ file }) => file);
    expect(files.filter((file) => file.startsWith('functions/')).sort()).toEqual(
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
    const changing = await Promise.all(
      functions.map(async (route) => {
        const methods = Object.keys((await loadHandler(route)).operations);
        return methods.some((method) => method !== 'GET') ? route.name : [];
      }),
    );
    // No frame reports changes of these: invitations, webhooks, commands, unsent files, profile
    // pictures, e-mails, codes, counters of limits, tickets and the first account.
    const unseen = [
      'files',
      'user-avatar',
      'room-invitations',
      'room-invitation',
      'invitations',
      'room-webhooks',
      'bot-command',
      'bot-webhook',
      'email-digest',
      'codes',
      'user-codes',
      'user-usage',
      'tickets',
      'setup',
      'passkey',
    ];
    const notifying = functionsThatMay('notices').filter((name) => functions.some((route) => route.name === name));
    expect(notifying.sort()).toEqual(
      changing
        .flat()
        .filter((name) => !unseen.includes(name))
        .sort(),
    );
  });
});
