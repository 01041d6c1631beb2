import { ObjectId } from 'mongodb';
import { HttpError, notFound, type Refusal } from '../base/errors.ts';
import { appCodes } from '../collections/accounts/app-codes.ts';
import { type AppDocument, apps } from '../collections/accounts/apps.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import { insertWithTimes } from '../database/writes.ts';
import { deleteToken } from '../identity/tokens.ts';
import { type App, isDocumentAddress, readDocument } from './metadata-documents.ts';

export const appUnknown: Refusal = () =>
  new HttpError(400, {
    title: 'Invalid parameter',
    description: 'The app is unknown: its client_id is neither registered nor the https address of a client metadata document.',
    code: 'app_unknown',
  });

/** The app of a client id: 400 if it is unknown. A document is fetched for the account `payer`. */
export async function findApp(clientId: string, payer: string): Promise<App> {
  if (isDocumentAddress(clientId)) return readDocument(clientId, payer);
  const found = await apps.findOne({ _id: clientId });
  if (!found) throw appUnknown();
  return registered(found);
}

const registered = ({ _id, name, redirect_uris }: Pick<AppDocument, '_id' | 'name' | 'redirect_uris'>): App => ({
  clientId: _id,
  name,
  host: null,
  redirectUris: redirect_uris,
});

/** Registers an app, and returns its client id. */
export async function registerApp({ name, redirectUris }: Pick<App, 'name' | 'redirectUris'>): Promise<App> {
  const app = { _id: new ObjectId().toHexString(), name, redirect_uris: redirectUris };
  await insertWithTimes(apps, app, { created_at: '$$NOW' });
  return registered(app);
}

/** The registered apps, the oldest first. */
export const listApps = async (): Promise<App[]> => (await apps.find({}, { sort: { _id: 1 } }).toArray()).map(registered);

/** True unless the app was registered and has been removed since. */
export const isKnownApp = async (clientId: string): Promise<boolean> =>
  isDocumentAddress(clientId) || (await apps.findOne({ _id: clientId }, { projection: { _id: 1 } })) !== null;

/** Removes a registered app, and its access to all accounts; 404 for an unknown one. */
export async function removeApp(clientId: string): Promise<{ name: string; ended: number }> {
  const app = await apps.findOne({ _id: clientId });
  if (!app) throw notFound('app');
  // The app itself goes last, so that a removal that was interrupted can be repeated.
  const before = await endAccess(clientId);
  await apps.deleteOne({ _id: clientId });
  // A user may have allowed it meanwhile.
  return { name: app.name, ended: before + (await endAccess(clientId)) };
}

async function endAccess(clientId: string): Promise<number> {
  await appCodes.deleteMany({ client_id: clientId });
  const grants = await tokens.find({ 'app.client_id': clientId }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of grants) await deleteToken({ _id });
  return grants.length;
}
