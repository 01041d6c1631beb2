import { signal } from '@preact/signals';
import type { EditorHandle } from './editor.tsx';

/** A change of a composer's text that another component requests, by place. */
export const forComposer = signal<{ place: string; change: (editor: EditorHandle) => void } | undefined>(undefined);
