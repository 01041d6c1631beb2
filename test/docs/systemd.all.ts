import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../tools/harness/service.ts';
import { type Block, commandsMarked } from '../support/document-blocks.ts';
import { type Machine, missingForMachine, startMachine } from '../support/documented-machine.ts';

const missing = missingForMachine();
const name = ({ page, line }: Block) => `=== ${page}:${line}`;

describe.runIf(missing === '')(`the service under systemd${missing && `: left out, for it needs ${missing}`}`, () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await startMachine();
  });
  afterAll(() => machine?.close());

  it('every block of commands under systemd does what its page says, one after the other', { timeout: 1_800_000 }, async () => {
    const [port, clusterPort] = [await freePort(), await freePort()];
    const blocks = commandsMarked('systemd');
    const before = ({ code }: Block) => {
      // A user who is not in the backup.
      if (code.includes('mv /var/lib/chat-service '))
        return `echo open sesame | admin user create bob --email bob@example.org --password-stdin`;
      if (code.includes('journalctl') && code.includes('grep'))
        return `request_id=$(curl -si localhost:${port}/api/rooms | tr -d '\\r' | sed -n 's/^x-request-id: //Ip'); sleep 2`;
      // In place of a cluster: another database, which is reached by a port.
      if (code.includes('read -rs MONGODB_URI'))
        return `(cd /opt/chat-service && exec node packages/embedded-mongodb/bin/serve.ts --data-dir /var/tmp/cluster --port ${clusterPort}) >/dev/null & sleep 3`;
      return '';
    };
    const after = ({ code }: Block) => {
      const healthy = `timeout 60 bash -c 'until curl -sf localhost:${port}/api/health; do sleep 0.2; done'; echo`;
      if (code.includes('enable --now'))
        return `${healthy}\njournalctl --unit chat-service --output cat\ncurl -sf localhost:${port}/ | grep -c '<title>'`;
      if (code.includes('cp -a /var/lib/chat-service-backups')) return `${healthy}\nadmin user list`;
      if (code.includes('read -rs MONGODB_URI')) return `${healthy}\nadmin user list`;
      return '';
    };
    const parts = blocks.map((block) => {
      const code = block.code
        .replace('<this repository>', '/srv/chat-service.git')
        .replaceAll('HTTP_PORT=3000', `HTTP_PORT=${port}`)
        .replaceAll('88d220a7-27d1-4762-8292-d6f0a8620146', '$request_id');
      return `echo '${name(block)}'\n${before(block)}\n${code}\n${after(block)}`;
    });
    const { code, screen } = await machine.run(`set -e\n${parts.join('\n')}\necho === done\n`, [
      ['Password: ', 'open sesame\r'],
      ['Once more: ', 'open sesame\r'],
      ['=== docs/operating.md', ''],
      ['users: 1 documents', `mongodb://127.0.0.1:${clusterPort}/?directConnection=true\r`],
    ]);
    console.log(screen);
    expect(code, screen).toBe(0);
    const shown = (part: string) =>
      blocks
        .map((block, at) => [block, screen.split('=== ')[at + 1] ?? ''] as const)
        .find(([{ code: text }]) => text.includes(part))?.[1];
    expect(shown('enable --now')).toContain('The API is at');
    expect(shown('user create ann')).toContain('Created the administrator ann.');
    expect(shown('admin backup')).toContain('The database was copied into /var/lib/chat-service-backups/2026-11-21.');
    expect(shown('cp -a')).toContain('ann@example.org');
    expect(shown('cp -a')).not.toContain('bob@example.org');
    expect(shown('journalctl --unit chat-service --output cat | grep')).toContain('"route":"/api/rooms"');
    expect(shown('read -rs MONGODB_URI')).toMatch(/users: 1 documents[\s\S]*users: 1 documents[\s\S]*ann@example\.org/);
  });
});
