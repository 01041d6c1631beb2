import './needs-node-24.js';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Keeps what Node.js has made of the TypeScript files, for this process and those that it starts: they start in half the time and
 * take less memory. JavaScript, because it runs before anything is kept. Where nothing can be written, nothing is.
 */
const { directory } = module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));
if (directory) process.env.NODE_COMPILE_CACHE ??= directory;
