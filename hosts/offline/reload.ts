import { watch } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Folders with the modules of the functions. */
const folders = ['functions', 'lib', 'hosts/server', 'packages/client/src'].map((folder) =>
  import.meta.resolve(`../../${folder}/`),
);

/** Editors write a file in several steps, so wait before a reload. */
const restMs = 100;

/** How long the previous version's connections stay open for running requests. */
const lastRequestsMs = 30_000;

/**
 * Reloads the functions when a file changes. From the next import on, modules of these folders get
 * a version in their URL. Calls `changed` after each change.
 */
export function reloadOnChange(changed: () => Promise<void>): void {
  let version = 0;
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const found = nextResolve(specifier, context);
      const isOurs = version > 0 && folders.some((folder) => found.url.startsWith(folder)) && !found.url.includes('?');
      return isOurs ? { ...found, url: `${found.url}?version=${version}` } : found;
    },
  });

  let timer: NodeJS.Timeout | undefined;
  const reload = async () => {
    const { closeDatabase } = await import('../../lib/operating/prepare.ts');
    setTimeout(() => closeDatabase().catch(() => undefined), lastRequestsMs).unref();
    version++;
    try {
      await changed();
      process.stderr.write('Functions reloaded.\n');
    } catch (error) {
      process.stderr.write(`The functions could not be reloaded: ${error instanceof Error ? error.message : error}\n`);
    }
  };
  for (const folder of folders) {
    const watcher = watch(fileURLToPath(folder), { recursive: true, persistent: false }, (_event, file) => {
      if (!/\.(ts|json)$/.test(file ?? '')) return;
      clearTimeout(timer);
      timer = setTimeout(() => void reload(), restMs).unref();
    });
    // The system's limit of watchers may be reached. Then changes require a restart.
    watcher.on('error', () => watcher.close());
  }
}
