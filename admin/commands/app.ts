import { readParameters } from '../../lib/api/parameters.ts';
import { listApps, registerApp, removeApp } from '../../lib/oauth/apps.ts';
import { type App, appName } from '../../lib/oauth/metadata-documents.ts';
import { isRedirectUri } from '../../lib/oauth/redirect-uris.ts';
import { type Run, required, UsageError } from '../command.ts';
import { table } from '../output.ts';
import { onData, recorded } from '../recorded.ts';

export const appCommands: Record<string, Run> = {
  'app create': async (_words, options) => {
    const { name } = readParameters({ name: appName }, { name: required(options, 'name') });
    const redirectUris = [options['redirect-uri'] ?? []].flat().map(String);
    if (redirectUris.length === 0) throw new UsageError('The option --redirect-uri is required.');
    const wrong = redirectUris.find((uri) => !isRedirectUri(uri, { isRegistered: true }));
    if (wrong !== undefined)
      throw new UsageError(
        `The redirect URI ${wrong} must be https, an http address of the device such as http://127.0.0.1/callback, or have a scheme of the app's own.`,
      );
    const details = { app: name, redirect_uris: redirectUris.join(' ') };
    const app = await recorded(onData('app.registered', details), () => registerApp({ name, redirectUris }));
    return { data: shown(app), text: app.clientId };
  },
  'app list': async () => {
    const apps = await listApps();
    const rows = apps.map(({ clientId, name, redirectUris }) => [clientId, name, redirectUris.join(' ')]);
    return { data: apps.map(shown), text: table(['CLIENT ID', 'NAME', 'REDIRECT URIS'], rows) };
  },
  'app remove': async ([clientId = '']) => {
    const removed = await recorded(onData('app.removed', { client_id: clientId }), () => removeApp(clientId));
    return { data: removed, text: `Removed the app ${removed.name}, and its access to accounts: ${removed.ended}.` };
  },
};

const shown = ({ clientId, name, redirectUris }: App) => ({ client_id: clientId, name, redirect_uris: redirectUris });
