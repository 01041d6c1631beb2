import type { ComponentChildren } from 'preact';
import { lateCode } from '../../device/late-code.ts';
import { Loading } from './controls.tsx';
import { useLoaded } from './use-list.ts';

type View<P> = (props: P) => ComponentChildren;

/** A view whose code is loaded late, and its placeholder. */
export function later<P extends object>(load: () => Promise<View<P>>, Placeholder?: View<P>): View<P> {
  let known: View<P> | undefined;
  const loadOnce = lateCode(async () => {
    known ??= await load();
    return known;
  });
  return (props) => {
    const { failure, reload } = useLoaded(loadOnce, []);
    const View = known;
    if (!View && Placeholder && !failure) return <Placeholder {...props} />;
    return View ? <View {...props} /> : <Loading failure={failure} onRetry={reload} />;
  };
}
