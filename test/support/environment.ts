import { inject } from 'vitest';

// Before any test file imports the service, whose settings are read once.
Object.assign(process.env, inject('environment'));

// So that tests can see which commands the service sends.
const uri = process.env.MONGODB_URI ?? '';
process.env.MONGODB_URI = `${uri}${uri.includes('?') ? '&' : `${/:\/\/.*\//.test(uri) ? '' : '/'}?`}monitorCommands=true`;
