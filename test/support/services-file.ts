import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file with the process ids of the services that workers have started. */
export const servicesFile = (): string => join(tmpdir(), 'services');
