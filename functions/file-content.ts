import { about, idOf, oneOf, optional } from '../lib/api/parameters.ts';
import { rangeNotSatisfiable } from '../lib/base/errors.ts';
import { noFiles } from '../lib/files/store.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { noSuchFile } from '../lib/messages/attachments/attachments.ts';
import { readFile } from '../lib/messages/attachments/file-content.ts';
import { uploadBytes, uploadRefusals } from '../lib/messages/attachments/uploads.ts';

const path = { file: idOf('file') };
const query = { preview: about('The preview of the file, a small picture, instead of the file.', optional(oneOf('true'))) };
const download = about('Send the file as a download, even if browsers would show it in place.', optional(oneOf('true')));

/** `/api/files/{file}/content`: the bytes of a file. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read a file, or a part of it, if the caller may read its message',
    access: 'user',
    scope: 'messages:read',
    path,
    query: { ...query, download },
    status: 200,
    givesBytes: 'file',
    refusals: [noSuchFile, noFiles, rangeNotSatisfiable],
    run: ({ path: { file }, query: { preview, download }, caller }) =>
      readFile(file, { isPreview: preview !== undefined, isDownload: download !== undefined }, caller),
  }),
  PUT: operation({
    summary: 'Upload the bytes of a file that the caller has announced',
    access: 'user',
    scope: 'messages:write',
    path,
    query,
    takesBytes: true,
    status: 204,
    refusals: uploadRefusals,
    run: ({ path: { file }, query: { preview }, bytes, caller }) => uploadBytes(file, preview !== undefined, bytes, caller),
  }),
});
