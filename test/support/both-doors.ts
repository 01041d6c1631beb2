import { type Call, doors as everyDoor } from './transports.ts';

/** Every way to the service: what holds through one must hold through the others. */
export const doors: [string, Call][] = everyDoor();

/** The error bodies that every path may answer with. */
export const unauthenticated = { title: 'Not authentificated', description: 'Please provide an auth token or login.' };
export const denied = (description: string) => ({ title: 'Permission Denied', description });
export const missing = (thing: string) => ({ title: 'Not found', description: `No such ${thing}.` });
export const invalid = (description: string) => ({ title: 'Invalid parameter', description });
export const lacking = (description: string) => ({ title: 'Missing parameter', description });
export const conflicting = (description: string) => ({ title: 'Conflict', description });
