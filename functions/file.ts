import { idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { takeBackFile, takeBackRefusals } from '../lib/messages/attachments/uploads.ts';

/** `/api/files/{file}`: an announced file. */
export const handler = endpoint({
  DELETE: operation({
    summary: 'Take back a file that was announced and not sent, and free its space',
    access: 'user',
    scope: 'messages:write',
    path: { file: idOf('file') },
    status: 204,
    refusals: takeBackRefusals,
    run: ({ path: { file }, caller }) => takeBackFile(file, caller),
  }),
});
