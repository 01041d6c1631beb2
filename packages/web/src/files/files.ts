/*
 * Dropped, pasted and chosen files. By default, a browser opens a dropped file in place of the
 * page.
 */

import { notice } from '../device/announcer.tsx';
import { lateCode } from '../device/late-code.ts';
import { strings } from '../i18n/strings.ts';
import { sentenceOf } from '../service/api.ts';
import { noteAdding } from '../store/unsent/tray.ts';

const loadAttach = lateCode(() => import('./attach.ts'));

/**
 * Puts files to the next message of a room or a thread; resolves to whether all of them are there.
 */
export function attach(place: string, files: readonly File[]): Promise<boolean> {
  const work = loadAttach()
    .then((code) => code.attach(place, files))
    .catch((failure) => {
      notice(sentenceOf(failure));
      return false;
    });
  noteAdding(work);
  return work;
}

/** Handles files that are dropped or pasted, for the thread at that spot or else for the room. */
export function takeFiles(): void {
  document.addEventListener('dragover', (event) => {
    if (!mustKeepPage(event)) return;
    event.preventDefault();
    if (hasFiles(event.dataTransfer)) showTarget(paneOf(event.target));
  });
  document.addEventListener('drop', (event) => {
    showTarget(undefined);
    if (!mustKeepPage(event)) return;
    event.preventDefault();
    attachFiles(event, event.dataTransfer);
  });
  document.addEventListener('paste', (event) => {
    // Text copied from a document or a table comes with a picture of it. Paste the text.
    if (!hasFiles(event.clipboardData) || event.clipboardData?.getData('text/plain')) return;
    event.preventDefault();
    attachFiles(event, event.clipboardData);
  });
}

/** The pane of the thread or the room that receives files dropped at an element. */
function paneOf(target: EventTarget | null): HTMLElement | undefined {
  const around = target instanceof Element ? target.closest<HTMLElement>('.side, .thread-card') : null;
  const panes = [around, document.querySelector<HTMLElement>('.room-pane')];
  return panes.find((pane) => pane?.querySelector('.composer[data-place]')) ?? undefined;
}

/** During a drag, a browser reports the position twice a second, but not always the end of it. */
const dragPauseMs = 700;

let shownTarget: HTMLElement | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Highlights the pane that would receive the dragged files. */
function showTarget(pane: HTMLElement | undefined): void {
  clearTimeout(hiding);
  if (shownTarget && shownTarget !== pane) delete shownTarget.dataset.drop;
  shownTarget = pane;
  if (!pane) return;
  pane.dataset.drop = strings.composer.drop;
  hiding = setTimeout(() => showTarget(undefined), dragPauseMs);
}

function attachFiles({ target }: Event, data: DataTransfer | null): void {
  if (!hasFiles(data)) return;
  const composer = (paneOf(target) ?? document).querySelector<HTMLElement>('.composer[data-place]');
  if (composer) void attach(composer.dataset.place as string, [...(data?.files ?? [])]);
  else notice(strings.composer.noPlace);
}

const hasFiles = (data: DataTransfer | null): boolean => data?.types.includes('Files') ?? false;

/**
 * True if the browser would leave the page: for any dropped file, and for a link that is not
 * dropped on a field.
 */
const mustKeepPage = ({ dataTransfer, target }: DragEvent): boolean =>
  hasFiles(dataTransfer) || !(target instanceof Element && target.matches('input, textarea'));
