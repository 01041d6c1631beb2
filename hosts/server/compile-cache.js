import './needs-node-24.js';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Enables Node.js's compile cache for this process and its children, which start in half the time
 * and use less memory. Does nothing if the directory is not writable. It is JavaScript because it
 * runs before the cache is enabled.
 */
const { directory } = module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));
if (directory) process.env.NODE_COMPILE_CACHE ??= directory;
