/*
 * Importing `node:http` reads all of its exports, which loads undici for its WebSocket client:
 * about 6 MB in Node.js 24. A server does not need it. This sets these exports to undefined, as in
 * Node.js 20, before any module imports `node:http`.
 */
const http = process.getBuiltinModule('node:http');
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) Object.defineProperty(http, name, { value: undefined });
