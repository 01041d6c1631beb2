import { pathId } from '../lib/api/extended-json.ts';
import { flag, optional } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { changeDetails, detailsSchema, findDetails, topic } from '../lib/rooms/details.ts';

/** `/api/rooms/{room}/details`: what there is to know of a room beside its five fields. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get the details of a room, as a member',
    access: 'user',
    scope: 'rooms:read',
    status: 200,
    answer: detailsSchema,
    refusals: { 403: ['Room membership required.'] },
    run: ({ path, caller }) => findDetails(pathId(path.room, 'room'), caller.user),
  }),
  PATCH: operation({
    summary: "Change a room's topic, or archive it or take it back into use, as an owner",
    access: 'user',
    scope: 'rooms:write',
    body: { topic: optional(topic), archived: optional(flag) },
    needsAny: true,
    status: 200,
    answer: detailsSchema,
    refusals: { 403: ['Room owner required.'] },
    run: ({ path, body, caller }) => changeDetails(pathId(path.room, 'room'), body, caller.user),
  }),
});
