/** True if service workers are available. If site data is blocked, even asking may throw. */
export function hasWorkers(): boolean {
  try {
    return 'serviceWorker' in navigator && navigator.serviceWorker !== undefined;
  } catch {
    return false;
  }
}
