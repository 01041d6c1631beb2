import { sha256 } from 'chat-service-client/sha256';
import { announce, notice } from '../device/announcer.tsx';
import { sizeOf } from '../i18n/sizes.ts';
import { laterStrings } from '../i18n/strings-later.ts';
import { ask, chat, randomKey } from '../service/api.ts';
import type { UnsentFile } from '../store/kept.ts';
import { setTray, type TrayItem, trayOf } from '../store/unsent/tray.ts';
import { safeName } from '../text/names.ts';
import { decodePicture } from './decode.ts';
import { withoutMetadata } from './metadata.ts';
import { webpOf } from './webp.ts';

/** How many files a message can have. */
const most = 10;

let largest: number | undefined;

/** How large a file may be, in bytes; without a connection that is found out when it is sent. */
async function findLargest(): Promise<number> {
  largest ??= await ask(chat.GET('/api/health')).then(
    ({ limits }) => limits.file_bytes,
    () => undefined,
  );
  return largest ?? Number.POSITIVE_INFINITY;
}

/**
 * Puts files to the next message of a room or a thread, and says which ones can't be sent; resolves
 * to whether all can.
 */
export async function attach(place: string, files: readonly File[]): Promise<boolean> {
  const { files: words } = laterStrings;
  const limit = await findLargest();
  const tooLarge = files.find(({ size }) => size > limit);
  const fitting = files.filter(({ size }) => size <= limit).slice(0, most - trayOf(place).length);
  if (limit === 0) notice(laterStrings.files.refused.no_files);
  else if (tooLarge) notice(words.tooLarge(safeName(tooLarge.name), sizeOf(limit)));
  else if (fitting.length < files.length) notice(words.tooMany(most));
  if (limit === 0) return false;
  setTray(place, [...trayOf(place), ...fitting.map((file) => itemOf(place, file))]);
  if (!matchMedia('(pointer: coarse)').matches) focusComposer(place);
  return fitting.length === files.length;
}

/**
 * The SHA-256 of some bytes, in hexadecimal. Browsers compute it only in secure pages; otherwise
 * the typed client does.
 */
async function hashOf(blob: Blob): Promise<string> {
  if (!crypto.subtle) return sha256(blob);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Focuses the text field, so that the next Enter sends. */
export const focusComposer = (place: string): void =>
  document.querySelector<HTMLElement>(`.composer[data-place="${place}"] textarea`)?.focus();

let lastReady: Promise<unknown> = Promise.resolve();

function itemOf(place: string, file: File): TrayItem {
  const key = randomKey();
  const name = nameOf(file);
  // One after the other, because a picture needs many times its size while it is drawn.
  const ready = lastReady.then(() => prepare(file, { key, name })).catch(() => undefined);
  lastReady = ready;
  void ready.then((prepared) => {
    if (prepared) announce(laterStrings.files.added(safeName(name)));
    else notice(laterStrings.files.unreadable(safeName(name)));
    setTray(
      place,
      trayOf(place).flatMap((item) => (item.key !== key ? [item] : prepared ? [{ ...item, ...prepared, file: prepared }] : [])),
    );
  });
  return { key, name, size: file.size, ready };
}

/** A name that the service accepts: without invisible characters, and with its extension. */
const nameOf = ({ name }: File): string =>
  [...name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim()].slice(-255).join('') || laterStrings.files.unnamed;

/**
 * Prepares a file for sending: adds size and preview of a picture or a video, and removes the
 * location where it was taken.
 */
async function prepare(file: File, named: { key: string; name: string }): Promise<UnsentFile> {
  const type = await typeOf(file);
  const isPicture = /^image\/(png|jpeg|webp|gif|avif|hei[cf])$/.test(type);
  const video = file.type.startsWith('video/') ? await openVideo(file) : undefined;
  const picture = video?.picture ?? (isPicture ? await decodePicture(file).catch(() => undefined) : undefined);
  // Read it now: the file on the disk may change or disappear before it is sent.
  const read = async () => new Blob([withoutMetadata(new Uint8Array(await file.arrayBuffer()))], { type });
  // Few browsers show the other kind, which phones make.
  const isPhoto = /^image\/(jpeg|hei[cf])$/.test(type);
  const bytes =
    picture && isPhoto ? await draw(picture, largestPhoto).convertToBlob({ type: 'image/jpeg', quality: 0.9 }) : await read();
  const scale = picture && isPhoto ? scaleOf(picture, largestPhoto) : 1;
  // Animations and small pictures are shown themselves, without a preview.
  const isSmall = !video && bytes.size <= largestPreview && picture && scaleOf(picture, 720) === 1;
  const preview = picture && !isSmall && type !== 'image/gif' ? await previewOf(picture) : undefined;
  return {
    ...named,
    ...(bytes.type === 'image/jpeg' && { name: named.name.replace(/\.(hei[cf]|png|webp|avif|gif)$/i, '.jpg') }),
    type: bytes.type || 'application/octet-stream',
    size: bytes.size,
    width: picture ? Math.round(picture.width * scale) : null,
    height: picture ? Math.round(picture.height * scale) : null,
    duration: video?.duration ?? null,
    has_preview: preview !== undefined,
    bytes,
    sha256: await hashOf(bytes),
    preview: preview && { bytes: preview, sha256: await hashOf(preview) },
  };
}

/**
 * The type of a file by its name, but a JPEG by its first bytes. The orientation of a JPEG is
 * metadata, so it must be drawn again.
 */
async function typeOf(file: File): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0xff && second === 0xd8 ? 'image/jpeg' : file.type;
}

/**
 * A frame from near the start of a video, and its length in seconds. Undefined if the browser
 * cannot play it, or takes too long.
 */
async function openVideo(file: File) {
  const address = URL.createObjectURL(file);
  const player = document.createElement('video');
  const until = (event: string) =>
    new Promise<void>((resolve, reject) => {
      player.addEventListener(event, () => resolve(), { once: true });
      player.addEventListener('error', reject, { once: true });
      setTimeout(reject, longestOpeningMs);
    });
  try {
    player.muted = true;
    player.preload = 'auto';
    const loaded = until('loadeddata');
    player.src = address;
    await loaded;
    const isKnown = Number.isFinite(player.duration);
    // The first moment is often black.
    const sought = until('seeked');
    player.currentTime = isKnown ? Math.min(1, player.duration / 2) : 0.1;
    await sought;
    return { picture: await createImageBitmap(player), duration: isKnown ? Math.round(player.duration) : null };
  } catch {
    return undefined;
  } finally {
    player.removeAttribute('src');
    URL.revokeObjectURL(address);
  }
}

/** How long a video may take to open. */
const longestOpeningMs = 5_000;

/**
 * The longest side of a photo, in pixels: browsers of phones draw none that has more of them than
 * this square.
 */
const largestPhoto = 4_096;

/** The largest preview that the service accepts, in bytes. */
const largestPreview = 65_536;

const scaleOf = ({ width, height }: ImageBitmap, longest: number) => Math.min(1, longest / Math.max(width, height));

/**
 * Draws a picture again, which drops everything else in its file, such as the location of a photo.
 */
function draw(picture: ImageBitmap, longest: number): OffscreenCanvas {
  const scale = scaleOf(picture, longest);
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  );
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** A small picture, the smaller the more there is to see. */
async function previewOf(picture: ImageBitmap): Promise<Blob | undefined> {
  for (const [longest, quality] of [
    [720, 0.8],
    [720, 0.6],
    [480, 0.6],
    [320, 0.5],
  ] as const) {
    const drawn = await webpOf(draw(picture, longest), quality);
    if (drawn.size <= largestPreview) return drawn;
  }
  return undefined;
}
