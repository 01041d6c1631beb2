import type { ComponentChildren } from 'preact';
import { Loading } from './controls.tsx';
import { useLoaded } from './use-list.ts';

/** A view whose code is loaded when it is first shown, so that the first message need not wait for it. */
export function later<P extends object>(load: () => Promise<(props: P) => ComponentChildren>): (props: P) => ComponentChildren {
  let known: ((props: P) => ComponentChildren) | undefined;
  return (props) => {
    const { value, failure, reload } = useLoaded(async () => {
      known ??= await load();
      return known;
    }, []);
    const View = known ?? value;
    return View ? <View {...props} /> : <Loading failure={failure} onRetry={reload} />;
  };
}
