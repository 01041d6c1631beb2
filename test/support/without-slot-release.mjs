import { registerHooks } from 'node:module';

/*
 * Preloaded by `--import`: the server keeps the slot of a request that waits for another server.
 * The control of a test runs with it, to show that the test fails without this protection.
 */

const protection = 'turn?.pause();';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/lib/base/outside.ts')) return loaded;
    const source = String(loaded.source);
    if (!source.includes(protection)) throw new Error(`lib/base/outside.ts lacks '${protection}'.`);
    return { ...loaded, source: source.replace(protection, '').replace('await turn?.resume();', '') };
  },
});
