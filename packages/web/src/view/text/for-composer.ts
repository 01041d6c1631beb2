import { signal } from '@preact/signals';
import type { EditorHandle } from './editor.tsx';

/** What is to be done to the text of a composer from outside of it, by its place. */
export const forComposer = signal<{ place: string; change: (editor: EditorHandle) => void } | undefined>(undefined);
