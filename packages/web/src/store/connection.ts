import { signal } from '@preact/signals';

/**
 * The state of the connection. `offline`: this device is offline. `unreachable`: the service does
 * not answer. `limited`: the service asks to slow down.
 */
export const connection = signal<'online' | 'offline' | 'unreachable' | 'limited'>('online');

/** The service was not reached, or asks to slow down. */
export function connectionFailed(isLimited: boolean): void {
  connection.value = isLimited ? 'limited' : navigator.onLine ? 'unreachable' : 'offline';
}
