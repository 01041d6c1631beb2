/*
 * Values that this browser keeps for the page, by name. If the browser cannot store them, they are
 * kept while the page is open.
 */

const inMemory = new Map<string, string>();

/** Returns the value stored under a name. */
export function recall(name: string): string | undefined {
  try {
    return inMemory.get(name) ?? localStorage.getItem(name) ?? undefined;
  } catch {
    return inMemory.get(name);
  }
}

/** Returns the JSON value stored under a name, or the `fallback` if it is missing or invalid. */
export function recallJson<T>(name: string, fallback: T): T {
  try {
    return (JSON.parse(recall(name) ?? 'null') as T | null) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Keeps something under a name. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
    inMemory.delete(name);
  } catch {
    inMemory.set(name, value);
  }
}

/** Keeps nothing under a name any longer. */
export function forgetName(name: string): void {
  inMemory.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // Invalid or missing.
  }
}

/** True if this browser stores values by name. */
export function keepsNames(): boolean {
  try {
    localStorage.getItem('');
    return true;
  } catch {
    return false;
  }
}
