import { useEffect, useState } from 'preact/hooks';

/** The shortest time between the sight of a question and its answer, in milliseconds. */
const attentionMs = 800;

/**
 * True after the question of this page was in view, and the page focused, for a moment without a
 * break. A page of another site can close a window above this one between the clicks of a double
 * click: then the second click must not answer.
 */
export function useAttention(question: unknown): boolean {
  const [hasAttention, setAttention] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      setAttention(false);
      if (question === undefined || document.visibilityState !== 'visible' || !document.hasFocus()) return;
      timer = setTimeout(() => setAttention(true), attentionMs);
    };
    const ending = new AbortController();
    for (const type of ['focus', 'blur']) window.addEventListener(type, begin, { signal: ending.signal });
    document.addEventListener('visibilitychange', begin, { signal: ending.signal });
    begin();
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [question]);
  return hasAttention;
}
