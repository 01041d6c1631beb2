import { signal } from '@preact/signals';

/** Whether the service was reached the last time. `limited`: it asks to slow down. */
export const connection = signal<'online' | 'offline' | 'limited'>('online');
