import { earlierKeyDays, exportKeys, rotateKeys } from '../../lib/notifications/keys.ts';
import type { Run } from '../command.ts';
import { onData, recorded } from '../recorded.ts';

export const pushKeyCommands: Record<string, Run> = {
  'push-key export': async () => {
    const data = await recorded(onData('push_key.exported'), exportKeys);
    return { data, text: `public key: ${data.public_key}\nprivate key: ${data.private_key}` };
  },
  'push-key rotate': async () => {
    const data = await recorded(onData('push_key.rotated'), rotateKeys);
    const { devices, public_key } = data;
    const text = `The new public key is ${public_key}. Devices with the earlier one: ${devices}. They switch to the new one when their page is opened next. Until then, for at most ${earlierKeyDays} days, the old one is used.`;
    return { data, text };
  },
};
