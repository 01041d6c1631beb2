import { expect, it } from 'vitest';
import type { NewWebhook } from '../../lib/members/webhooks.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { commandsMarked, titleOf } from '../support/document-blocks.ts';
import { aRoom, succeed } from '../support/rooms.ts';
import { runCommand } from '../support/run-command.ts';
import { serveUrl } from '../support/services.ts';
import { overHttp } from '../support/transports.ts';

const call = overHttp(await serveUrl());

it.each(commandsMarked('webhook').map((block) => [titleOf(block), block.code] as const))(
  'a command of the documentation posts by a webhook, once however often it runs with a key: %s',
  async (_title, code) => {
    const room = await aRoom();
    const { token } = room.owner;
    const { body } = await succeed(call('POST', `${room.path}/webhooks`, { token, body: {} }));
    const environment = { LIMIT: '0', WEBHOOK: `${await serveUrl()}/api/webhooks/${(body as NewWebhook).secret}` };
    const times = code.includes('Idempotency-Key') ? 2 : 1;
    for (let run = 0; run < times; run++)
      expect(await runCommand(['bash', '-euc', code], { environment })).toMatchObject({ code: 0 });
    const posted = (await succeed(call('GET', `/api/messages?room=${room.id}`, { token }))).body as Message[];
    expect(posted).toMatchObject([{ name: 'Webhook', text: expect.stringMatching(/\*\*.+\*\*/) }]);
  },
);
