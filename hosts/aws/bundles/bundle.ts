import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { leastCharacters, readCommonPasswords } from '../../../lib/credentials/common-passwords.ts';
import { readFiles, readPage } from '../../../packages/web/site.ts';

/** The path of a module of this project. */
const pathOf = (module: string) => fileURLToPath(import.meta.resolve(module));

/** A bundle, with its source map and the files that it needs beside it. */
export type Bundle = { path: string; code: OutputFile; map: OutputFile; modules: string[]; needsDriver: boolean };

/** The bundles of functions, and the driver, which is packaged beside bundles that need it. */
export type Bundles = { bundles: Bundle[]; driver: OutputFile; metafile: Metafile };

/** The path of the driver in an archive, where every bundle can require it. */
export const driverPath = 'node_modules/mongodb-driver.cjs';

const common = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  // Node.js 24 supports these, and compiles such literals on first use. Otherwise esbuild would
  // replace them by `new RegExp`.
  supported: { 'regexp-unicode-property-escapes': true, 'regexp-set-notation': true },
  metafile: true,
  write: false,
  logLevel: 'silent',
} satisfies BuildOptions;

/**
 * Bundles handlers such as `functions/rooms.handler`, all in one run: a module that many of them
 * import is read and parsed once. Each bundle has the name of its handler's file. The driver, which
 * is most of the code, is written once.
 */
export async function bundle(handlers: string[], directory: string): Promise<Bundles> {
  const driverModules = new Set<string>();
  const names = handlers.map((handler) => handler.replace(/\.\w+$/, ''));
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: names.map((name) => ({ in: `handler:${name}`, out: name })),
    absWorkingDir: directory,
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    // ES modules may wait for secrets before they are ready.
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    alias: { '@modelcontextprotocol/server/_shims': pathOf('./mcp-shims.ts') },
    plugins: [entries(directory), externalDriver(driverModules), builtins, literals, responses],
    sourcemap: 'external',
    sourcesContent: false,
  });
  const output = (name: string) => outputFiles.find(({ path }) => path === join(directory, name)) as OutputFile;
  const bundles = names.map((name) => {
    const modules = Object.keys(metafile.outputs[`${name}.mjs`]?.inputs ?? {});
    const needsDriver = modules.some((module) => module.startsWith('driver:'));
    return { path: `${name}.mjs`, code: output(`${name}.mjs`), map: output(`${name}.mjs.map`), modules, needsDriver };
  });
  const driver = await bundleDriver([...driverModules].sort());
  // Both builds as one: the driver's inputs are those of its file.
  const [driverOutput] = Object.values(driver.metafile.outputs);
  const all = {
    inputs: { ...metafile.inputs, ...driver.metafile.inputs },
    outputs: { ...metafile.outputs, ...(driverOutput && { [driverPath]: driverOutput }) },
  };
  return { bundles, driver: driver.outputFiles[0] as OutputFile, metafile: all };
}

/** The driver in one file that exports some of its modules by name. */
const bundleDriver = (modules: string[]) =>
  build({
    ...common,
    stdin: {
      contents: modules.map((name) => `exports[${JSON.stringify(name)}] = require(${JSON.stringify(name)});`).join('\n'),
      resolveDir: dirname(pathOf('../../../package.json')),
    },
    format: 'cjs',
    alias: {
      // Node.js has both. The package accounts for a third of the driver's code, and up to a
      // quarter of the start time.
      'whatwg-url': pathOf('./node-url.ts'),
      // The driver needs one function of it, for `authMechanism=MONGODB-AWS`.
      '@aws-sdk/credential-providers': pathOf('./credential-providers.ts'),
    },
    // Optional dependencies, which this service does not use.
    external: ['kerberos', '@mongodb-js/zstd', 'gcp-metadata', 'snappy', 'socks', 'mongodb-client-encryption'],
  });

const externalDriver = (modules: Set<string>): Plugin => ({
  name: 'driver',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^mongodb(\/|$)/ }, ({ path }) => {
      modules.add(path);
      return { path, namespace: 'driver' };
    });
    onLoad({ filter: /.*/, namespace: 'driver' }, ({ path }) => ({
      contents: `module.exports = require('mongodb-driver.cjs')[${JSON.stringify(path)}];`,
    }));
    onResolve({ filter: /^mongodb-driver\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
});

/**
 * The entry of each bundle: first the secrets, then the transport, then the handler. esbuild keeps
 * this order even if a module awaits. The host's own functions start without them.
 */
const entries = (directory: string): Plugin => ({
  name: 'entries',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^handler:/ }, ({ path }) => ({ path: path.slice('handler:'.length), namespace: 'handler' }));
    onLoad({ filter: /.*/, namespace: 'handler' }, ({ path }) => ({
      contents: [
        ...(path.startsWith('functions/') ? starts : []).map((module) => `import ${JSON.stringify(pathOf(module))};`),
        `export { handler } from './${path}.ts';`,
      ].join('\n'),
      resolveDir: directory,
    }));
  },
});

const starts = ['../runtime/start-secrets.ts', '../runtime/start-carrier.ts'];

/**
 * Require modules of Node.js instead of importing them. An `import` evaluates every export, and the
 * `WebSocket` export of `node:http` loads the fetch client: a third of the start time.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: [
        `const builtin = require('${path}');`,
        'export default builtin;',
        // The bundler leaves out those that nobody imports.
        ...Object.keys(process.getBuiltinModule(path) ?? {}).map(
          (name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`,
        ),
      ].join('\n'),
    }));
  },
};

/** The MCP library uses the small responses of its shims, without loading the fetch client. */
const responses: Plugin = {
  name: 'responses',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[\\/]server[\\/]dist[\\/].*\.mjs$/ }, async ({ path }) => ({
      // On the first line, so that the source map stays right.
      contents: `import { Response } from '@modelcontextprotocol/server/_shims'; ${await readFile(path, 'utf8')}`,
    }));
  },
};

/** Modules whose exports are computed now and put into the bundles as literals. */
const computed: Record<string, () => string> = {
  // The package has ten times as many passwords, and other data.
  [pathOf('../../../lib/credentials/common-passwords.ts')]: () => `
    export const leastCharacters = ${leastCharacters};
    export const readCommonPasswords = () => ${JSON.stringify(readCommonPasswords())};
  `,
  // Functions do not have the files of the built web client.
  [pathOf('../../../packages/web/site.ts')]: () => {
    const [page, files] = [readPage(), readFiles()];
    if (page === undefined || files === undefined) throw new Error('The web client is not built: npm run build:web');
    return `
      export const readPage = () => ${JSON.stringify(page)};
      export const readFiles = () => (${JSON.stringify(files)});
    `;
  },
};

const literals: Plugin = {
  name: 'literals',
  setup({ onLoad }) {
    onLoad({ filter: /\/(common-passwords|site)\.ts$/ }, ({ path }) => {
      const contents = computed[path]?.();
      return contents === undefined ? undefined : { contents };
    });
  },
};
