/*
 * An `import` of `node:http` reads all of its exports, and so loads undici for its WebSocket client, which a server has no use for: some 6 MB
 * (Node.js 24). Here these exports become undefined, as in Node.js 20, before anything imports the module.
 */
const http = process.getBuiltinModule('node:http');
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) Object.defineProperty(http, name, { value: undefined });
