import type { ObjectId } from 'mongodb';
import { about, flag, oneOf, type Parameter, type Values, withDefault } from '../api/parameters.ts';
import { aFlag, aText, aWord, described, orNull, record, type Shown } from '../api/schema.ts';
import { conflict, permissionDenied, type Refusal } from '../base/errors.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import { type PushSubscriptionDocument, pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { retryContended } from '../database/engines.ts';
import { insertWithTimes } from '../database/writes.ts';
import { appRefused, type Caller, refuseApp } from '../identity/caller.ts';
import { currentKey, forgetUnusedKeys } from './keys.ts';
import { isPushAddress, type Outcome, sendPush } from './send.ts';

const base64url = (bytes: number, what: string): Parameter<string> => {
  const pattern = `^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`;
  return {
    read: (sent) => (typeof sent === 'string' && new RegExp(pattern).test(sent) ? sent : undefined),
    rule: `be ${what} in base64url`,
    schema: { type: 'string', pattern },
  };
};

const address = '^https?://[!-~]{1,990}$';
const endpoint: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && new RegExp(address).test(sent) ? sent : undefined),
  rule: 'be an address that begins with https://',
  schema: { type: 'string', pattern: address },
};

/**
 * A device's subscription: the response of its browser's `PushManager`, and the messages that it
 * wants.
 */
export const subscriptionParameters = {
  endpoint: about('The address at the push service of the browser: https, and at one that the service knows.', endpoint),
  p256dh: about('The public key of the device, `getKey("p256dh")`.', base64url(65, 'a public key of P-256')),
  auth: about('The shared secret, `getKey("auth")`.', base64url(16, 'a secret of 16 bytes')),
  key: about('The public key of the service that the device subscribed with.', base64url(65, 'a public key of P-256')),
  of: about(
    '`mine`: mentions, conversations, and replies in followed threads. `all`: all messages. A muted room, or one with a `notify_of` of its own, goes by that.',
    withDefault(oneOf('mine', 'all'), 'mine'),
  ),
  send_test: about('Send a push now, to see that it arrives.', withDefault(flag, false)),
};

const unknownService: Refusal = () =>
  permissionDenied('push_service_unknown', 'This push service is not allowed: the operator can add it to PUSH_HOSTS.');
const otherKey: Refusal = () =>
  conflict('other_key', 'This is not the current key of the service: subscribe with the current one.');
const notPushed: Refusal = () => conflict('not_pushed', 'The push service did not accept it: try again later.');
const refusedPush: Refusal = () =>
  conflict('push_refused', 'The push service refuses pushes of this service. Ask its operator: the log says why.');
const endedByDevice: Refusal = () => conflict('subscription_ended', 'The push service says that this subscription has ended.');

export const subscribeRefusals = [appRefused, unknownService, otherKey, notPushed, refusedPush, endedByDevice];

/** The push subscription of a token, as the API shows it. */
export const subscriptionSchema = record('PushSubscription', {
  key: described('The public key of the service, the `applicationServerKey` to subscribe with.', aText),
  is_subscribed: described('Whether the device of this token receives pushes.', aFlag),
  of: described('The messages that it notifies of; null without a subscription.', orNull(aWord('mine', 'all'))),
});
export type ShownSubscription = Shown<typeof subscriptionSchema>;

/** The subscription of the caller's token, and the key for new subscriptions. */
export async function findSubscription(caller: Caller): Promise<ShownSubscription> {
  const [key, own] = await Promise.all([currentKey(), pushSubscriptions.findOne({ _id: tokenOf(caller) })]);
  return { key, is_subscribed: own !== null && own.key === key, of: own?.of ?? null };
}

/**
 * Subscribes the device of the caller's token to pushes. A subscription of another token for the
 * same device ends.
 */
export async function subscribe(
  { send_test, ...sent }: Values<typeof subscriptionParameters>,
  caller: Caller,
): Promise<ShownSubscription> {
  refuseApp(caller);
  if (!isPushAddress(sent.endpoint)) throw unknownService();
  const key = await currentKey();
  if (sent.key !== key) throw otherKey();
  const _id = tokenOf(caller);
  await pushSubscriptions.deleteMany({ endpoint: sent.endpoint, _id: { $ne: _id } });
  const token = await tokens.findOne({ _id }, { projection: { expires_at: 1 } });
  const fields = { ...sent, user: caller.user._id, expires_at: token?.expires_at ?? null, refused: 0 };
  // If two requests create the first subscription concurrently, one of them finds the other's.
  await retryContended(async () => {
    const { matchedCount } = await pushSubscriptions.updateOne({ _id }, { $set: fields, $unset: { retry: '' } });
    if (matchedCount === 0) await insertWithTimes(pushSubscriptions, { _id, ...fields }, { created_at: '$$NOW' });
  });
  await forgetUnusedKeys();
  if (send_test) await sendTest(_id);
  return { key, is_subscribed: true, of: sent.of };
}

/** Ends the subscription of the caller's token. */
export const unsubscribe = async (caller: Caller): Promise<void> =>
  void (await pushSubscriptions.deleteMany({ _id: tokenOf(caller) }));

/** Sends a push to confirm that pushes arrive. */
async function sendTest(_id: ObjectId): Promise<void> {
  const own = await pushSubscriptions.findOne({ _id });
  const outcome: Outcome = own ? await sendPush(own, { type: 'test' }) : { kind: 'gone' };
  if (own) await noteOutcome(own, outcome);
  if (outcome.kind === 'gone') throw endedByDevice();
  if (outcome.kind === 'refused') throw refusedPush();
  if (outcome.kind !== 'sent') throw notPushed();
}

/** A subscription ends after this many consecutive refusals. */
const mostRefused = 10;

/** The pushes to retry for a device. */
type RetrySubject = { 'retry.rooms': ObjectId } | { 'retry.reminders': ObjectId };

/**
 * Records the outcome of a push. A subscription that has ended is deleted. Returns true if the push
 * must be retried, and stores its subject for that.
 */
export async function noteOutcome(
  { _id, refused }: PushSubscriptionDocument,
  outcome: Outcome,
  told?: RetrySubject,
): Promise<boolean> {
  if (outcome.kind === 'gone' || (outcome.kind === 'refused' && refused + 1 >= mostRefused))
    await pushSubscriptions.deleteMany({ _id });
  else if (outcome.kind === 'refused') await pushSubscriptions.updateOne({ _id }, { $inc: { refused: 1 } });
  else if (outcome.kind === 'sent' && refused > 0) await pushSubscriptions.updateOne({ _id }, { $set: { refused: 0 } });
  else if (outcome.kind === 'later' && told) {
    const later = { $set: { 'retry.at': new Date(Date.now() + outcome.milliseconds) }, $addToSet: told };
    await pushSubscriptions.updateOne({ _id }, later);
  }
  return outcome.kind === 'later';
}

const tokenOf = ({ token }: Caller): ObjectId => token._id;
