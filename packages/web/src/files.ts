/* Files that are dropped or pasted, which the service does not take yet. By itself, the browser opens one that is dropped in place of the page. */

import { strings } from './strings.ts';
import { notice } from './view/announcer.tsx';

/** Keeps the page when something is dropped on it, and says that files can't be sent. */
export function refuseFiles(): void {
  document.addEventListener('dragover', (event) => mustKeepPage(event) && event.preventDefault());
  document.addEventListener('drop', (event) => {
    if (!mustKeepPage(event)) return;
    event.preventDefault();
    if (hasFiles(event.dataTransfer)) notice(strings.composer.noFiles);
  });
  document.addEventListener('paste', (event) => {
    // What is copied from a document or a table is a text and a picture of it: the text is pasted.
    if (!hasFiles(event.clipboardData) || event.clipboardData?.getData('text/plain')) return;
    event.preventDefault();
    notice(strings.composer.noFiles);
  });
}

const hasFiles = (data: DataTransfer | null): boolean => data?.types.includes('Files') ?? false;

/** Whether the browser would leave the page: for a file wherever it is dropped, for a link where there is no field for it. */
const mustKeepPage = ({ dataTransfer, target }: DragEvent): boolean =>
  hasFiles(dataTransfer) || !(target instanceof Element && target.matches('input, textarea'));
