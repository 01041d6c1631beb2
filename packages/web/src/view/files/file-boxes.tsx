import type { ComponentChildren } from 'preact';
import type { Message } from '../../service/api.ts';

/** The facts about a file that are known before it is loaded. */
export type FileFacts = Omit<Message['files'][number], '_id'>;

type Kind = 'picture' | 'video' | 'audio' | 'other';

/**
 * How a file is shown. A row if the browser cannot show it, or if the size of the picture is
 * unknown: a picture would move the content below it.
 */
export function kindOf({ type, width, height }: FileFacts): Kind {
  const [, kind] = /^(image|video|audio)\/(?:png|jpeg|webp|gif|avif|mp4|webm|mpeg|ogg|wav)$/.exec(type) ?? [];
  if (kind === 'image') return width && height ? 'picture' : 'other';
  return (kind as Kind | undefined) ?? 'other';
}

/** The most that a picture alone may measure, in pixels. */
const [widest, highest] = [480, 360];

function styleOf({ width, height }: FileFacts, isAlone: boolean) {
  if (!isAlone || !width || !height) return undefined;
  const scale = Math.min(1, widest / width, highest / height);
  return { inlineSize: `${Math.max(48, Math.round(width * scale))}px`, aspectRatio: `${width} / ${height}` };
}

type BoxesProps<F> = { files: readonly F[]; content?: (file: F, at: number) => ComponentChildren };

/**
 * The files of a message, each in a box of its final size, so that nothing moves when they are
 * loaded.
 */
export function FileBoxes<F extends FileFacts>({ files, content }: BoxesProps<F>) {
  const isAlone = files.filter((file) => kindOf(file) === 'picture').length === 1;
  return (
    <ul class="files">
      {files.map((file, at) => (
        <li key={`${at}`} class={`file ${kindOf(file)}`} style={kindOf(file) === 'picture' ? styleOf(file, isAlone) : undefined}>
          {content?.(file, at)}
        </li>
      ))}
    </ul>
  );
}
