import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commands, freePort } from '../../tools/harness/service.ts';
import { anAdmin } from '../support/accounts.ts';
import { blocksOf } from '../support/document-blocks.ts';
import { hasCommand } from '../support/documented-machine.ts';
import { aMessage } from '../support/messages.ts';
import { aRoomOf } from '../support/rooms.ts';
import { runCommand } from '../support/run-command.ts';
import { aService } from '../support/services.ts';
import { connected } from '../support/sockets.ts';
import { behindProxy, inProcess as call } from '../support/transports.ts';

const directory = await mkdtemp(join(tmpdir(), 'chat-proxies-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The block of the page that configures a proxy. */
const configurationOf = (language: string) =>
  blocksOf('docs/self-hosting.md').find((block) => block.language === language)?.code ?? '';

/** How to start each proxy over its block: in front of the service's port, on a port of its own. */
const proxies = {
  nginx: async (service: string, port: string) => {
    const file = join(directory, 'nginx.conf');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`);
    const block = configurationOf('nginx').replaceAll('127.0.0.1:3000', `127.0.0.1:${service}`);
    await writeFile(
      file,
      `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; pid ${directory}/nginx.pid; error_log ${directory}/nginx.log; events {}
       http { access_log off; ${paths.join(' ')} server { listen 127.0.0.1:${port};\n${block} } }`,
    );
    return ['nginx', '-e', join(directory, 'nginx.log'), '-c', file];
  },
  caddy: async (service: string, port: string) => {
    const file = join(directory, 'Caddyfile');
    const block = configurationOf('caddy')
      .replace('chat.example.org', `http://127.0.0.1:${port}`)
      .replace('127.0.0.1:3000', `127.0.0.1:${service}`);
    await writeFile(file, `{\n  admin off\n}\n${block}`);
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  },
};

describe.each(Object.entries(proxies))('the service behind %s', (name, configure) => {
  const missing = hasCommand(name) ? '' : `: left out, for there is no ${name}`;
  it.runIf(missing === '')(
    `the service behind a proxy pushes news over a WebSocket, conforms row by row, and leaves nothing behind${missing}`,
    async () => {
      const [servicePort, port] = [await freePort(), await freePort()];
      const service = await aService({ HTTP_PORT: servicePort, HTTP_HOST: '127.0.0.1', TRUST_PROXY: '1' }, commands.serve);
      const [command = '', ...words] = await configure(servicePort, port);
      const proxy: ChildProcess = spawn(command, words, { stdio: 'inherit', env: { ...process.env, HOME: directory } });
      try {
        await expect
          .poll(() =>
            fetch(`http://127.0.0.1:${port}/api/health`).then(
              ({ status }) => status,
              () => 0,
            ),
          )
          .toBe(200);
        const admin = await anAdmin();
        const { token } = admin;
        const room = await aRoomOf([admin]);
        const url = `http://127.0.0.1:${port}`;
        const { events, socket } = await connected(url, admin, {}, behindProxy(url));
        await aMessage(admin, room, {}, behindProxy(url));
        await expect.poll(() => events(room)).toMatchObject([{ type: 'message.created', data: { text: 'Hello' } }]);
        socket.close();
        const ended = await runCommand(['npm', 'run', '--silent', 'conformance', '--', `http://127.0.0.1:${port}`], {
          input: token,
        });
        console.log(`${name}: ${ended.stdout.trim().split('\n').slice(-3).join('\n')}`);
        expect(ended.stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
        expect(ended).toMatchObject({ code: 0, stderr: '' });
        expect((await call('GET', '/api/users?q=conformance-', { token })).body).toEqual([]);
      } finally {
        proxy.kill();
        await once(proxy, 'exit');
        await service.stop();
      }
    },
  );
});
