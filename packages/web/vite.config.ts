import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { normaliseReaction } from 'chat-service-rules/reactions';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const read = (name: string) => JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8'));

type Emoji = { unicode: string; label: string; hexcode: string; group?: number; tags?: string[] };

/**
 * `virtual:emoji`: each emoji with its short codes, its name and the words that find it, by group;
 * components such as skin tones are left out.
 */
const emoji: Plugin = {
  name: 'emoji',
  resolveId: (id) => (id === 'virtual:emoji' ? id : undefined),
  load(id) {
    if (id !== 'virtual:emoji') return undefined;
    const codes: Record<string, string | string[]> = read('emojibase-data/en/shortcodes/github.json');
    const groups: string[][] = [];
    for (const { unicode, label, hexcode, group, tags = [] } of read('emojibase-data/en/compact.json') as Emoji[]) {
      if (group === undefined || group === 2) continue;
      const names = [codes[hexcode] ?? label.replaceAll(/\W+/g, '_').toLowerCase()].flat();
      const words = tags.filter((word) => !names.includes(word.replaceAll(' ', '_')));
      groups[group] ??= [];
      // In the form in which reactions are stored.
      groups[group].push([normaliseReaction(unicode) ?? unicode, names.join(' '), label, words.join(' ')].join('\t'));
    }
    return `export default ${JSON.stringify(groups.filter(Boolean).map((group) => group.join('\n')))};`;
  },
};

/** The licence of the font, which must go wherever the font goes. */
const fontLicence: Plugin = {
  name: 'font-licence',
  apply: 'build',
  generateBundle() {
    const source = readFileSync(fileURLToPath(import.meta.resolve('@fontsource-variable/inter/LICENSE')), 'utf8');
    this.emitFile({ type: 'asset', name: 'inter-licence.txt', source });
  },
};

const service = `http://localhost:${process.env.HTTP_PORT || 3000}`;

/**
 * Puts what the running service tells its page about itself into the page of the development
 * server.
 */
const settingsOfService: Plugin = {
  name: 'settings-of-service',
  apply: 'serve',
  transformIndexHtml: async (page) => {
    const head = await fetch(service, { headers: { Accept: 'text/html' } })
      .then(async (response) => /<meta name="chat".*>/.exec(await response.text())?.[0])
      .catch(() => undefined);
    if (head === undefined) throw new Error(`No service answers at ${service}: run npm run serve, or set HTTP_PORT.`);
    return page.replace('<!--settings-->', () => head);
  },
};

const shared =
  /rolldown\/runtime|node_modules\/(?!uqr|lowlight|highlight\.js|devlop)|rules\/src\/(markdown\/|permissions|texts)|src\/(service\/(api|ids)|device\/(announcer|clipboard|keyboard|late-code|routes|tabs)|account\/session|i18n\/strings|text\/names|store\/(cache|emoji|unsent\/drafts|people\/members|rooms\/(hidden|permissions|rooms|sections|topics))|view\/(people\/avatar|shared\/(controls|copy|dialog|focus|icon|later|use-list)))\.tsx?/;

/**
 * How the web client is built; `npm run dev:web` serves it with what changes at once, over a
 * service that runs.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [emoji, fontLicence, settingsOfService],
  // The sources of the client package, which is built only when it is published.
  resolve: { conditions: ['chat-service-source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    // The page requires these versions anyway, for example for `light-dark()`. For earlier ones,
    // the build would replace `:dir()` with a list of languages, which the page does not declare.
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    outDir: 'dist/site',
    emptyOutDir: true,
    // The policy allows no inline content, and `data:` is one kind of it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 200,
    // Puts all code shared with later parts in one file, not in one for each combination of parts.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', test: shared }] } } },
  },
  server: {
    proxy: {
      '^/(api|docs|icon.*|manifest.webmanifest)': service,
      '/socket': { target: service, ws: true },
    },
  },
});
