import manifest from '../../package.json' with { type: 'json' };
import type { Config } from '../settings/config.ts';
import { pngIcon, svgIcon } from './brand-icon.ts';
import { html } from './html.ts';
import { makePage, type Page } from './page.ts';

type Brand = Pick<Config, 'brandName' | 'brandColor'>;

/**
 * The page of the web client, with the settings that the service passes to it. It may run only its
 * own files, connect only to its own origin and that of the WebSockets, and never turn text into
 * HTML. The browser enforces this.
 */
export function webPage(built: string | undefined, config: Config): Page {
  const { brandName, brandColor, registration, roomCreation, invitations, emailConfirmation, smtpUrl } = config;
  const { docsUrl, socketUrl, files, languages, identityProviders, takesPasswords, passkeys, mcp } = config;
  if (built === undefined) return notBuilt;
  const settings = {
    name: brandName,
    color: brandColor,
    version: manifest.version,
    registration,
    roomCreation,
    invitations,
    emailConfirmation,
    sendsEmail: smtpUrl !== '',
    docs: docsUrl,
    ...(identityProviders.length > 0 && { oidc: identityProviders.map(({ id, name }) => ({ id, name })) }),
    ...(!takesPasswords && { takesPasswords }),
    ...(passkeys.origin !== undefined && { passkeys: passkeys.origin }),
    ...(mcp !== 'on' && { mcp }),
    languages,
  };
  const head = html`<meta name="chat" content="${JSON.stringify(settings)}">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f7f6f3">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#101113">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/icons/180.png">
<link rel="manifest" href="/manifest.webmanifest">`;
  const title = html`<title>${brandName}</title>`;
  // Functions, because `$` has a meaning in a text that replaces another.
  const source = built.replace('<!--settings-->', () => head.source).replace('<title>Chat</title>', () => title.source);
  return { source, policy: policyWith(socketUrl, files.bucket) };
}

function policyWith(socketUrl: string, bucket: Config['files']['bucket']): string {
  // Other buckets of the same store are anyone's.
  const files = bucket ? [`${bucket.endpoint}/${bucket.name}/`] : [];
  // WebSockets may have an address of their own.
  const sockets = URL.canParse(socketUrl) ? [new URL(socketUrl).origin] : [];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    ["img-src 'self'", ...files].join(' '),
    // A video that somebody is about to send is looked at where it is.
    ["media-src 'self' blob:", ...files].join(' '),
    ["connect-src 'self'", ...sockets, ...files].join(' '),
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types service-worker',
  ].join('; ');
}

const notBuilt = makePage(
  'Not built',
  html`<main><h1>The web client is not built</h1>
<p>Run <code>npm ci</code>, or <code>npm run build:web</code>, and start the service again. The API works without: see <a href="/docs">/docs</a>.</p></main>`,
);

/** The names of the shortcuts that an installed page has, by the first language of the service. */
const shortcuts: Record<Config['languages'][number], { notifications: string; threads: string }> = {
  en: { notifications: 'Notifications', threads: 'Threads' },
  de: { notifications: 'Benachrichtigungen', threads: 'Threads' },
  ar: { notifications: 'الإشعارات', threads: 'سلاسل الردود' },
};

/** The icons and the manifest that make the client installable. */
export function brandFiles({ brandName, brandColor, languages }: Brand & Pick<Config, 'languages'>) {
  const brand = { brandName, brandColor };
  const { notifications, threads } = shortcuts[languages[0] ?? 'en'];
  const png = { type: 'image/png' };
  const installed = {
    name: brandName,
    short_name: brandName,
    id: '/',
    start_url: '/',
    display: 'standalone',
    theme_color: brandColor,
    // Behind the icon while the page starts: no flash of white on a dark screen.
    background_color: brandColor,
    icons: [
      { src: '/icons/192.png', sizes: '192x192', ...png, purpose: 'any' },
      { src: '/icons/512.png', sizes: '512x512', ...png, purpose: 'any' },
      { src: '/icons/maskable.png', sizes: '512x512', ...png, purpose: 'maskable' },
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    ],
    shortcuts: [
      { name: notifications, url: '/?panel=notifications' },
      { name: threads, url: '/?panel=threads' },
    ],
    share_target: {
      action: '/share',
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { title: 'title', text: 'text', url: 'url', files: [{ name: 'files', accept: ['*/*'] }] },
    },
  };
  return {
    '/icon.svg': { type: 'image/svg+xml', text: svgIcon(brand) },
    '/icons/180.png': drawnOnce(() => pngIcon(brand, { size: 180, isRound: false })),
    '/icons/192.png': drawnOnce(() => pngIcon(brand, { size: 192, isRound: true })),
    '/icons/512.png': drawnOnce(() => pngIcon(brand, { size: 512, isRound: true })),
    '/icons/maskable.png': drawnOnce(() => pngIcon(brand, { size: 512, isRound: false, isMaskable: true })),
    '/manifest.webmanifest': { type: 'application/manifest+json', text: JSON.stringify(installed) },
  };
}

/** A PNG that is drawn when it is first asked for: most visitors never do. */
function drawnOnce(draw: () => Buffer) {
  let drawn: string | undefined;
  return {
    type: 'image/png',
    get bytes(): string {
      drawn ??= draw().toString('base64');
      return drawn;
    },
  };
}

/**
 * The addresses of one word. They share the route `/{page}`, because each route of a deployment is
 * a resource, and their number is limited.
 */
export const pageWords: ReadonlySet<string> = new Set([
  'login',
  'signup',
  'password',
  'setup',
  'oidc',
  'authorize',
  'join',
  'share',
  'directory',
  'admin',
  'settings',
]);
