import { webAddress } from 'chat-service-rules/formats/reader';
import { type Json, numberOf, textOf } from '../json.ts';
import type { SourceFile } from '../source.ts';
import type { SlackFiles } from './files.ts';
import { firstText } from './records.ts';
import type { SlackUploads } from './uploads.ts';

/** The sources of files: the archive, or else Slack. */
export type FilePlaces = { files: SlackFiles | undefined; uploads: Pick<SlackUploads, 'find'> };

/** The file of a message. */
export function fileOf(file: Json, index: number, { files, uploads }: FilePlaces): SourceFile {
  const title = firstText(file.title, file.name);
  const name = title ?? 'file';
  const id = textOf(file.id);
  const address = [file.permalink, file.url_private, file.external_url]
    .map((one) => webAddress(textOf(one) ?? ''))
    .find((one) => one !== undefined);
  const known = { id: id ?? String(index), ...(address !== undefined && { address }) };
  // The title of a file may lack the extension.
  const whole = { ...known, name: firstText(file.name) ?? name };
  const upload = uploads.find(id);
  if (upload) return { ...whole, ...upload };
  const gone = whyGone(file) ?? (title === undefined && address === undefined ? 'without a name and an address' : undefined);
  if (gone !== undefined) return { ...known, name, gone };
  const size = numberOf(file.size);
  const open = files?.openerOf(textOf(file.url_private_download) ?? textOf(file.url_private), size);
  if (!open) return { ...known, name };
  return { ...whole, open, ...(size !== undefined && { size }), lack: notFetched };
}

/** The reason why nothing but the mention of a file remains. */
function whyGone({ mode, file_access: access }: Json): string | undefined {
  if (mode === 'tombstone' || access === 'file_not_found') return 'deleted in the source';
  if (mode === 'hidden_by_limit') return "hidden by the limit of the source's plan";
  return access === 'access_denied' ? 'not accessible to the person who exported' : undefined;
}

const notFetched = 'could not be fetched: a link to it stands in the message';
