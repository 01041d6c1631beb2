import manifest from '../../package.json' with { type: 'json' };
import type { Config } from '../settings/config.ts';
import { html } from './html.ts';
import { makePage, type Page } from './page.ts';

type Brand = Pick<Config, 'brandName' | 'brandColor'>;

/**
 * The page of the web client, with what the service tells it about itself. It may run its own files and nothing else,
 * ask its own origin and that of the WebSockets, and turn no text into HTML: the browser refuses.
 */
export function webPage(built: string | undefined, config: Config): Page {
  const { brandName, brandColor, registration, roomCreation, emailConfirmation, smtpUrl, docsUrl, socketUrl, files, languages } =
    config;
  const { identityProviders, takesPasswords, passkeys } = config;
  if (built === undefined) return notBuilt;
  const settings = {
    name: brandName,
    color: brandColor,
    version: manifest.version,
    registration,
    roomCreation,
    emailConfirmation,
    sendsEmail: smtpUrl !== '',
    docs: docsUrl,
    ...(identityProviders.length > 0 && { oidc: identityProviders.map(({ id, name }) => ({ id, name })) }),
    ...(!takesPasswords && { takesPasswords }),
    ...(passkeys.origin !== undefined && { passkeys: passkeys.origin }),
    languages,
  };
  const head = html`<meta name="chat" content="${JSON.stringify(settings)}">
<meta name="theme-color" content="${brandColor}">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/icon.svg">
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

/** The icon and the manifest with which the client can be installed. */
export function brandFiles({ brandName, brandColor }: Brand) {
  const initial = [...new Intl.Segmenter().segment(brandName)][0]?.segment ?? '';
  const icon = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><path d="M0 0h512v512H0z" fill="${brandColor}"/><path d="M256 96c-97 0-176 65-176 146 0 46 26 87 66 114l-18 60 78-36c16 5 33 7 50 7 97 0 176-65 176-145S353 96 256 96z" fill="#fff"/><text x="256" y="302" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="170" fill="${brandColor}">${initial}</text></svg>`;
  const installed = {
    name: brandName,
    short_name: brandName,
    id: '/',
    start_url: '/',
    display: 'standalone',
    theme_color: brandColor,
    background_color: '#ffffff',
    icons: [{ src: '/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any maskable' }],
  };
  return {
    '/icon.svg': { type: 'image/svg+xml', text: icon.source },
    '/manifest.webmanifest': { type: 'application/manifest+json', text: JSON.stringify(installed) },
  };
}
