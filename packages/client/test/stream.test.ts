import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aBot } from '../../../test/support/bots.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { serveUrl } from '../../../test/support/services.ts';
import { createChatClient, unwrap } from '../src/index.ts';

const baseUrl = await serveUrl();

async function aTeam(fetch?: (request: Request) => Promise<Response>) {
  const [ann, bot] = await Promise.all([anAccount(), aBot()]);
  const room = await aRoomOf([ann, bot]);
  const retry = { firstWait: 10 };
  return { ann, room, chat: createChatClient({ baseUrl, token: bot.token, retry, ...(fetch && { fetch }) }) };
}

describe('chat.stream', () => {
  it('chat.stream sends a text in parts, however they are cut', async () => {
    const { room, chat } = await aTeam();
    const answer = chat.stream({ room });
    const parts = ['One line\r', '\nand an owl \ud83e', '\udd89', '\u001b!', '\r'];
    for (const part of parts) await answer.write(part);
    const message = await answer.end();
    expect(message).toMatchObject({ text: 'One line\nand an owl 🦉!\n', is_streaming: false });
    expect((await answer.message)._id).toEqual(message._id);
  });

  it('chat.stream sends each part once over a connection that loses answers', async () => {
    let count = 0;
    const { ann, room, chat } = await aTeam(async (request) => {
      const response = await fetch(request);
      // Every third answer is lost on its way.
      if (++count % 3 === 0) throw new TypeError('fetch failed');
      return response;
    });
    const answer = chat.stream({ room });
    const words = Array.from({ length: 60 }, (_, index) => `word${index} `);
    for (const word of words) {
      await answer.write(word);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const { text } = await answer.end();
    expect(text).toBe(words.join(''));
    const reader = createChatClient({ baseUrl, token: ann.token });
    const all = await unwrap(reader.GET('/api/messages', { params: { query: { room } } }));
    expect(all.map((message) => message.text)).toEqual([text]);
  });

  it('chat.stream throws the refusal of the service', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const answer = createChatClient({ baseUrl, token: ann.token }).stream({ room });
    await expect(answer.end()).rejects.toMatchObject({ status: 403, code: 'program_required' });
  });
});
