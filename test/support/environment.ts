import { inject } from 'vitest';

// Set before any test file imports the service, which reads its settings once.
Object.assign(process.env, inject('environment'));

// So that tests can see which commands the service sends.
const uri = process.env.MONGODB_URI ?? '';
process.env.MONGODB_URI = `${uri}${uri.includes('?') ? '&' : `${/:\/\/.*\//.test(uri) ? '' : '/'}?`}monitorCommands=true`;
