import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../api.ts';
import { idOf } from '../ids.ts';
import { laterStrings } from '../strings-later.ts';
import { safeName } from '../text/names.ts';
import { sizeOf } from '../text/sizes.ts';
import { IconButton } from './controls.tsx';
import { openDialog } from './dialog.tsx';
import { FileBoxes, type FileFacts, kindOf } from './file-boxes.tsx';
import { Icon } from './icon.tsx';
import './lightbox.css';

type SentFile = Message['files'][number];

const addressOf = (file: SentFile) => `/api/files/${idOf(file)}/content`;

/** Where the picture is that stands in the room: the small one, unless that would stop what moves. */
const previewOf = (file: SentFile) =>
  file.has_preview && file.type !== 'image/gif' ? `${addressOf(file)}?preview=true` : addressOf(file);

/** The files of a message: pictures, players, and all else as rows. */
export const Files = ({ files }: { files: readonly SentFile[] }) => (
  <FileBoxes files={files} content={(file) => <Content file={file} files={files} />} />
);

function Content({ file, files }: { file: SentFile; files: readonly SentFile[] }) {
  const kind = kindOf(file);
  const name = safeName(file.name);
  if (kind === 'picture')
    return (
      <button
        type="button"
        class="open-picture"
        aria-label={laterStrings.files.open(name)}
        title={name}
        onClick={() =>
          openPicture(
            files.filter((other) => kindOf(other) === 'picture'),
            file,
          )
        }
      >
        <Picture address={previewOf(file)} alt="" />
      </button>
    );
  return (
    <>
      {kind === 'video' && (
        // biome-ignore lint/a11y/useMediaCaption: nobody has written any
        <video
          controls
          preload="metadata"
          aria-label={name}
          src={addressOf(file)}
          poster={file.has_preview ? previewOf(file) : undefined}
        />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: nobody has written any */}
      {kind === 'audio' && <audio controls preload="metadata" aria-label={name} src={addressOf(file)} />}
      <FileRow file={file}>
        <Download file={file} />
      </FileRow>
    </>
  );
}

/** A file by its name and its size. */
export const FileRow = ({ file, children }: { file: FileFacts; children?: ComponentChildren }) => (
  <div class="file-row">
    <Icon name="file" />
    <span class="file-name">
      <bdi title={safeName(file.name)}>{safeName(file.name)}</bdi>
      <small class="muted">{sizeOf(file.size)}</small>
    </span>
    {children}
  </div>
);

const Download = ({ file }: { file: SentFile }) => {
  const label = laterStrings.files.download(safeName(file.name));
  return (
    <a class="icon-button" href={addressOf(file)} download={file.name} aria-label={label} title={label}>
      <Icon name="download" />
    </a>
  );
};

/** A picture; one that can't be shown says why, and can be asked for again. */
function Picture({ address, alt }: { address: string; alt: string }) {
  const [problem, setProblem] = useState<string>();
  const look = async () => {
    const answer = await fetch(address, { method: 'HEAD' }).catch(() => undefined);
    setProblem(answer?.status === 404 ? laterStrings.files.gone : laterStrings.files.lost);
  };
  useEffect(() => {
    // What was lost with the connection comes back with it.
    const retry = () => setProblem(undefined);
    addEventListener('online', retry);
    return () => removeEventListener('online', retry);
  }, []);
  return problem === undefined ? (
    <img src={address} alt={alt} loading="lazy" decoding="async" onError={() => void look()} />
  ) : (
    <span class="muted">{problem}</span>
  );
}

/** Opens a picture as large as the page; the arrows lead to the others of its message. */
function openPicture(pictures: readonly SentFile[], file: SentFile): void {
  const step = (by: number) => {
    const at = pictures.indexOf(file) + by + pictures.length;
    openPicture(pictures, pictures[at % pictures.length] as SentFile);
  };
  openDialog(safeName(file.name), () => <Lightbox key={idOf(file)} file={file} step={pictures.length > 1 ? step : undefined} />);
}

function Lightbox({ file, step }: { file: SentFile; step: ((by: number) => void) | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const onKey = (event: KeyboardEvent) => {
    const isBackwards = box.current?.matches(':dir(rtl)') ? 'ArrowRight' : 'ArrowLeft';
    if (!step || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    step(event.key === isBackwards ? -1 : 1);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons do the same
    <div class="lightbox" ref={box} onKeyDown={onKey}>
      <Picture address={addressOf(file)} alt={safeName(file.name)} />
      <div class="row">
        {step && <IconButton icon="back" label={laterStrings.files.before} onPress={() => step(-1)} />}
        {step && <IconButton icon="back" class="next" label={laterStrings.files.next} onPress={() => step(1)} />}
        <small class="muted">{sizeOf(file.size)}</small>
        <Download file={file} />
      </div>
    </div>
  );
}
