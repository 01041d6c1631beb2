import manifest from '../package.json' with { type: 'json' };
import { limits } from './api/limits.ts';
import { aCount, aFlag, aText, aWord, described, record, type Shown } from './api/schema.ts';
import { config, emailConfirmations, registrations, roomCreations } from './config.ts';
import { readFileState } from './database/file-state.ts';
import { serviceUnavailable } from './errors.ts';

/** That the service works, and those of its settings that clients must know. */
export const healthSchema = record('Health', {
  status: described('That the service works.', aWord('ok')),
  version: described('The version of the service.', aText),
  database: described('That the database answers.', aWord('ok', 'damaged')),
  registration: described('Who may sign up: everyone, whoever is invited, or nobody.', aWord(...registrations)),
  room_creation: described('Who may create rooms.', aWord(...roomCreations)),
  sends_email: described('Whether `POST /api/codes` sends e-mails.', aFlag),
  email_confirmation: described('Whether a sign-up needs a code that was sent to its address.', aWord(...emailConfirmations)),
  limits: described(
    'The bounds that settings decide and clients must know.',
    record('Limits', {
      page_size: described('How many things a page has where a request has no `limit`.', aCount),
      room_members: described('How many members a room may have.', aCount),
      event_days: described(
        'For how many days the events of a room are kept: whoever was away for longer reads the history anew.',
        aCount,
      ),
      body_bytes: described('How many bytes the body of a request may have.', aCount),
    }),
  ),
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
