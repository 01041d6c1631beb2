import manifest from '../package.json' with { type: 'json' };
import { limits } from './api/limits.ts';
import { aCount, aFlag, aText, aWord, record, type Shown } from './api/schema.ts';
import { config } from './config.ts';
import { readFileState } from './database/file-state.ts';
import { serviceUnavailable } from './errors.ts';
import { emailConfirmations, registrations, roomCreations } from './settings.ts';

/** That the service works, and those of its settings that clients must know. */
export const healthSchema = record('Health', {
  status: aWord('ok'),
  version: aText,
  database: aWord('ok', 'damaged'),
  registration: aWord(...registrations),
  room_creation: aWord(...roomCreations),
  sends_email: aFlag,
  email_confirmation: aWord(...emailConfirmations),
  limits: record('Limits', { page_size: aCount, room_members: aCount, event_days: aCount, body_bytes: aCount }),
});

/** Asks the database for a sign of life, without which there is no service; fails if there is none, or if nothing can be written. */
export async function checkHealth(): Promise<Shown<typeof healthSchema>> {
  const { damage, readOnly } = await readFileState();
  if (readOnly) throw serviceUnavailable(`Nothing can be written to the database: ${readOnly}.`);
  return {
    status: 'ok',
    version: manifest.version,
    database: damage ? 'damaged' : 'ok',
    registration: config.registration,
    room_creation: config.roomCreation,
    sends_email: config.smtpUrl !== '',
    email_confirmation: config.emailConfirmation,
    limits: {
      page_size: config.pageSize,
      room_members: config.roomMembers,
      event_days: config.eventDays,
      body_bytes: limits.jsonBody,
    },
  };
}
