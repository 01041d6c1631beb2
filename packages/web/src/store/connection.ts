import { signal } from '@preact/signals';

/**
 * Whether the service was reached the last time. `offline`: this device has no network. `unreachable`: it has one, but the service does
 * not answer. `limited`: the service asks to slow down.
 */
export const connection = signal<'online' | 'offline' | 'unreachable' | 'limited'>('online');

/** The service was not reached, or asks to slow down. */
export function connectionFailed(isLimited: boolean): void {
  connection.value = isLimited ? 'limited' : navigator.onLine ? 'unreachable' : 'offline';
}
