import type { ComponentChildren, TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { sizeOf } from '../../i18n/sizes.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { bearer, Failure, type Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { safeName } from '../../text/names.ts';
import { attempt, IconButton } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { Drawn } from './drawn.tsx';
import { FileBoxes, type FileFacts, kindOf } from './file-boxes.tsx';
import { useZoom, zoomStep } from './zoom.ts';
import './lightbox.css';

type SentFile = Message['files'][number];

const addressOf = (file: SentFile) => `/api/files/${idOf(file)}/content`;

/** The address for downloads. After a redirect to another origin, browsers ignore `download`. */
const downloadOf = (file: SentFile) => `${addressOf(file)}?download=true`;

/** The picture in the room: the preview, unless that would stop an animation. */
const previewOf = (file: SentFile) =>
  file.has_preview && file.type !== 'image/gif' ? `${addressOf(file)}?preview=true` : addressOf(file);

/**
 * True if the browser keeps no cookies. Then a file is requested with the token, and nothing can be
 * played.
 */
const hasNoCookie = () => bearer.token !== undefined;

async function read(address: string): Promise<Blob> {
  const answer = await fetch(address, { headers: { 'X-Auth-Token': bearer.token ?? '' } });
  if (!answer.ok) throw new Failure(answer.status, '');
  return answer.blob();
}

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
        title={file.alt ?? name}
        onClick={() =>
          openPicture(
            files.filter((other) => kindOf(other) === 'picture'),
            file,
          )
        }
      >
        <span class="visually-hidden">{laterStrings.files.open(name)}</span>
        <Picture address={previewOf(file)} alt={file.alt ?? ''} />
      </button>
    );
  return (
    <>
      {kind === 'video' && !hasNoCookie() && (
        // biome-ignore lint/a11y/useMediaCaption: nobody has written any
        <video
          controls
          preload="metadata"
          aria-label={file.alt ?? name}
          src={addressOf(file)}
          onError={askAgain}
          poster={file.has_preview ? previewOf(file) : undefined}
        />
      )}
      {kind === 'audio' && !hasNoCookie() && (
        // biome-ignore lint/a11y/useMediaCaption: nobody has written any
        <audio controls preload="metadata" aria-label={file.alt ?? name} src={addressOf(file)} onError={askAgain} />
      )}
      <FileRow file={file}>
        <Download file={file} />
      </FileRow>
    </>
  );
}

/** Where players were when they were last given another address. */
const redirectedAt = new WeakMap<HTMLMediaElement, number>();

/**
 * The address in an object store is valid for a minute. After that, the service redirects to
 * another one, once for each place.
 */
function askAgain({ currentTarget: player }: TargetedEvent<HTMLMediaElement>): void {
  const { currentTime, paused } = player;
  if (redirectedAt.get(player) === currentTime) return;
  redirectedAt.set(player, currentTime);
  player.load();
  player.currentTime = currentTime;
  // The browser may wait for a press.
  if (!paused) player.play().catch(() => undefined);
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
    <a
      class="icon-button"
      href={downloadOf(file)}
      download={file.name}
      aria-label={label}
      title={label}
      onClick={(event) => {
        if (!hasNoCookie()) return;
        event.preventDefault();
        void attempt(() => save(file));
      }}
    >
      <Icon name="download" />
    </a>
  );
};

async function save(file: SentFile): Promise<void> {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await read(addressOf(file)));
  link.download = file.name;
  link.click();
  // The browser has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

type FetchedProps = { address: string; alt?: string; onLost?: () => void; onThere?: () => void };

/** A picture that is requested with the token, because the browser keeps no cookies. */
export function Fetched({ address, alt, onLost, onThere }: FetchedProps) {
  const { value, failure } = useLoaded(() => read(address), [address]);
  useEffect(() => {
    if (failure) onLost?.();
    if (value) onThere?.();
  }, [failure, value]);
  return value ? <Drawn bytes={value} alt={alt} /> : null;
}

/** A picture; one that can't be shown says why, and can be asked for again. */
function Picture({ address, alt }: { address: string; alt: string }) {
  const [problem, setProblem] = useState<string>();
  const look = async () => {
    const failure = await read(address).catch((lost) => lost);
    setProblem(failure instanceof Failure && failure.status === 404 ? laterStrings.files.gone : laterStrings.files.lost);
  };
  useEffect(() => {
    // The content comes back with the connection.
    const retry = () => setProblem(undefined);
    addEventListener('online', retry);
    return () => removeEventListener('online', retry);
  }, []);
  if (problem === undefined && hasNoCookie()) return <Fetched address={address} alt={alt} onLost={() => void look()} />;
  return problem === undefined ? (
    <img src={address} alt={alt} loading="lazy" decoding="async" onError={() => void look()} />
  ) : (
    <span class="muted">{problem}</span>
  );
}

/** Opens a picture at full size; the arrows switch to the others of its message. */
function openPicture(pictures: readonly SentFile[], file: SentFile): void {
  const step = (by: number) => {
    const at = pictures.indexOf(file) + by + pictures.length;
    openPicture(pictures, pictures[at % pictures.length] as SentFile);
  };
  const count = pictures.length > 1 ? laterStrings.files.place(pictures.indexOf(file) + 1, pictures.length) : undefined;
  const content = () => <Lightbox key={idOf(file)} file={file} step={count ? step : undefined} count={count} />;
  openDialog(safeName(file.name), content, undefined, { isFull: true });
}

type LightboxProps = { file: SentFile; step: ((by: number) => void) | undefined; count: string | undefined };

function Lightbox({ file, step, count }: LightboxProps) {
  const [isDescribed, setDescribed] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { zoom, isZoomed, zoomBy, reset, frame, picture, gestures } = useZoom();
  const percent = `${Math.round(zoom.scale * 100)} %`;
  const onKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isBackwards = box.current?.matches(':dir(rtl)') ? 'ArrowRight' : 'ArrowLeft';
    if (event.key === '+' || event.key === '=') zoomBy(zoomStep);
    else if (event.key === '-') zoomBy(1 / zoomStep);
    else if (event.key === '0') reset();
    else if (step && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) step(event.key === isBackwards ? -1 : 1);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons do the same
    <div class="lightbox" ref={box} onKeyDown={onKey}>
      <div class={isZoomed ? 'frame zoomed' : 'frame'} ref={frame} {...gestures}>
        <div ref={picture} style={{ transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})` }}>
          <Picture address={addressOf(file)} alt={file.alt ?? safeName(file.name)} />
        </div>
      </div>
      {step && <IconButton icon="back" class="step" label={laterStrings.files.before} onPress={() => step(-1)} />}
      {step && <IconButton icon="back" class="step next" label={laterStrings.files.next} onPress={() => step(1)} />}
      {isDescribed && <p class="alt">{file.alt}</p>}
      <div class="row">
        <small class="muted">
          {count && `${count} · `}
          {sizeOf(file.size)}
        </small>
        {file.alt !== undefined && (
          <button type="button" class="quiet" aria-expanded={isDescribed} onClick={() => setDescribed(!isDescribed)}>
            {laterStrings.files.description}
          </button>
        )}
        <Download file={file} />
        <div class="zoom">
          <button
            type="button"
            class="icon-button minus"
            aria-label={laterStrings.files.zoomOut}
            title={laterStrings.files.zoomOut}
            onClick={() => zoomBy(1 / zoomStep)}
          >
            −
          </button>
          <button type="button" class="percent" aria-label={laterStrings.files.zoomReset(percent)} onClick={reset}>
            {percent}
          </button>
          <IconButton icon="plus" label={laterStrings.files.zoomIn} onPress={() => zoomBy(zoomStep)} />
        </div>
      </div>
    </div>
  );
}
