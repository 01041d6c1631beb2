import { useEffect, useState } from 'preact/hooks';

/**
 * A value that is loaded for a view: undefined while it is loading, or the reason why that failed.
 */
type LoadedValue<T> = {
  value: T | undefined;
  failure: unknown;
  reload: () => void;
  /** Makes another value of the present one, which may have changed since the view was drawn. */
  change: (make: (value: T) => T) => void;
  /** As `change`, but ignored if the value was loaded again since the view was drawn. */
  extend: (make: (value: T | undefined) => T) => void;
};

/** `loads` counts the loads that have ended. */
type LoadState<T> = { value?: T; failure?: unknown; loads: number };

/** Loads something when a view appears, and again when one of `inputs` changes. */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): LoadedValue<T> {
  const [state, setState] = useState<LoadState<T>>({ loads: 0 });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isWanted = true;
    load().then(
      (value) => isWanted && setState(({ loads }) => ({ value, loads: loads + 1 })),
      (failure) => isWanted && setState(({ loads }) => ({ failure, loads: loads + 1 })),
    );
    return () => {
      isWanted = false;
    };
  }, [...inputs, turn]);
  return {
    value: state.value,
    failure: state.failure,
    reload: () => setTurn((before) => before + 1),
    change: (make) => setState((now) => (now.value ? { value: make(now.value), loads: now.loads } : now)),
    extend: (make) => setState((now) => (now.loads === state.loads ? { value: make(now.value), loads: now.loads } : now)),
  };
}
