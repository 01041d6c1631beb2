import manifest from '../../package.json' with { type: 'json' };
import { limits } from '../api/limits.ts';
import { aCount, aFlag, aText, aWord, described, record, type Shown } from '../api/schema.ts';
import { serviceUnavailable } from '../base/errors.ts';
import { readFileState } from '../database/file-state.ts';
import { isPrepared } from '../database/preparation.ts';
import { findStore } from '../files/store.ts';
import { config } from '../settings/config.ts';
import { botCreations, emailConfirmations, invitationMakers, registrations, roomCreations } from '../settings/settings.ts';

/** The state of the service, and those of its settings that clients must know. */
export const healthSchema = record('Health', {
  status: described('`ok`: the service works.', aWord('ok')),
  version: described('The version of the service.', aText),
  database: described(
    '`ok`. `damaged`: the database file is damaged. `incomplete`: acknowledged writes were lost with the end of its log, and no operator has acknowledged it. `not_prepared`: writes are refused until a deployment has created its indexes.',
    aWord('ok', 'damaged', 'incomplete', 'not_prepared'),
  ),
  registration: described('Sign-up: `open` for everyone, for `invited` people only, or `closed`.', aWord(...registrations)),
  room_creation: described('The users who may create rooms with `POST /api/directory`.', aWord(...roomCreations)),
  invitations: described('The members of a room who may invite and add people.', aWord(...invitationMakers)),
  bot_creation: described('The users who may create bots.', aWord(...botCreations)),
  sends_email: described('Whether `POST /api/codes` sends e-mails.', aFlag),
  email_confirmation: described('Whether a sign-up needs a code sent to its address.', aWord(...emailConfirmations)),
  limits: described(
    'The limits from settings that clients must know.',
    record('Limits', {
      page_size: described('The size of a page without `limit`.', aCount),
      room_members: described('The maximum number of members of a room.', aCount),
      event_days: described('The days for which events are kept. After a longer absence, read the history again.', aCount),
      file_bytes: described('The maximum size of a file, in bytes; 0 if the service keeps no files.', aCount),
      body_bytes: described('The maximum size of the body of a request, in bytes.', aCount),
    }),
  ),
});

/** Asks the database for a sign of life. Fails without one, or if nothing can be written. */
export async function checkHealth(): Promise<Shown<typeof healthSchema>> {
  const { damage, isIncomplete, readOnly } = await readFileState();
  if (readOnly) throw serviceUnavailable(`Nothing can be written to the database: ${readOnly}.`);
  return {
    status: 'ok',
    version: manifest.version,
    database: damage ? 'damaged' : isIncomplete ? 'incomplete' : (await isPrepared()) ? 'ok' : 'not_prepared',
    registration: config.registration,
    room_creation: config.roomCreation,
    invitations: config.invitations,
    bot_creation: config.botCreation,
    sends_email: config.smtpUrl !== '',
    email_confirmation: config.emailConfirmation,
    limits: {
      page_size: config.pageSize,
      room_members: config.roomMembers,
      event_days: config.eventDays,
      file_bytes: findStore() ? config.files.size : 0,
      body_bytes: limits.jsonBody,
    },
  };
}
