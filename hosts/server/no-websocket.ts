/*
 * An `import` of `node:http` looks at all that it exports, and for the sake of its WebSocket client, which a server has no use for, loads
 * undici: some 6 MB (Node.js 24). Here these exports are nothing, as they are in Node.js 20, before anything imports the module.
 */
const http = process.getBuiltinModule('node:http');
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) Object.defineProperty(http, name, { value: undefined });
