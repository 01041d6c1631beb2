import { useEffect, useState } from 'preact/hooks';

/**
 * A value that is loaded for a view: undefined while it is loading, or the reason why that failed.
 */
type LoadedValue<T> = {
  value: T | undefined;
  failure: unknown;
  reload: () => void;
  set: (value: T) => void;
  /** Makes another value of the present one, which may have changed since the view was drawn. */
  change: (make: (value: T) => T) => void;
};

/** Loads something when a view appears, and again when one of `inputs` changes. */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): LoadedValue<T> {
  const [state, setState] = useState<{ value?: T; failure?: unknown }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isWanted = true;
    load().then(
      (value) => isWanted && setState({ value }),
      (failure) => isWanted && setState({ failure }),
    );
    return () => {
      isWanted = false;
    };
  }, [...inputs, turn]);
  return {
    value: state.value,
    failure: state.failure,
    reload: () => setTurn((before) => before + 1),
    set: (value) => setState({ value }),
    change: (make) => setState((now) => (now.value ? { value: make(now.value) } : now)),
  };
}
