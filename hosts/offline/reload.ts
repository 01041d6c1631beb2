import { watch } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The folders whose modules the functions consist of. */
const folders = ['functions', 'lib', 'hosts/server', 'packages/client/src'].map((folder) =>
  import.meta.resolve(`../../${folder}/`),
);

/** Editors write a file in several steps. */
const restMs = 100;

/** The lifetime of connections of an earlier version, whose last requests may still run. */
const lastRequestsMs = 30_000;

/**
 * Loads the functions again after a file of theirs has changed, from the next import on: a module of these folders gets
 * an address with the number of the change. Calls `changed` each time.
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
    // The system may have no watcher left. Then a change needs a restart.
    watcher.on('error', () => watcher.close());
  }
}
