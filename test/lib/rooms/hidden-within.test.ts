import { expect, it } from 'vitest';
import { anAccount } from '../../support/accounts.ts';
import { commandsGot, useDatabaseWithin } from '../../support/database-within.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoom } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

await useDatabaseWithin();

const hidden = await aRoom({ is_visible: false });
const stranger = await anAccount();
await aMessage(hidden.owner, hidden.id, { text: 'owls' });
const query = `room=${hidden.id}`;

it.each([
  `/api/messages?${query}`,
  `/api/messages?${query}&after=0`,
  `/api/messages?${query}&q=owls`,
  `/api/events?${query}`,
  `/api/events?${query}&after=0`,
  `/api/members?${query}`,
  `/api/members?${query}&q=a`,
  `/api/users?${query}&q=a`,
  `/api/bans?${query}`,
  `${hidden.path}/details`,
  `${hidden.path}/invitations`,
  `${hidden.path}/webhooks`,
])(
  'nothing in a hidden room is read before it is known that the caller may not see it, so that no time tells that it exists: GET %s',
  async (path) => {
    // The read state of its members is cached, so it is not queried either.
    for (let count = 0; count < 3; count++)
      expect((await inProcess('GET', path, { token: hidden.owner.token })).status).toBeLessThan(300);
    await inProcess('GET', path, { token: stranger.token });
    const commands = await commandsGot(async () => {
      expect((await inProcess('GET', path, { token: stranger.token })).status).toBe(404);
    });
    const read = commands.map((command) => [...command.entries()][0]).filter((entry) => entry?.[1] !== 'tokens');
    expect(read).toEqual([['aggregate', 'rooms']]);
  },
);
