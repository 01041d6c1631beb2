import { createHash } from 'node:crypto';
import { createSetupCode } from '../../lib/accounts/setup-code.ts';
import { type Id, toObjectId } from '../../lib/api/extended-json.ts';
import type { AuditEntry } from '../../lib/audit/list.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import type { OpenApi } from '../../lib/reference/openapi.ts';
import { loadPaths } from '../harness/functions.ts';
import { inProcess } from '../harness/transports.ts';
import { firstSteps, type Step, walkThrough } from '../harness/walkthrough.ts';
import { exampleNames, setUp, walkthrough } from '../harness/walkthrough-steps.ts';
import { apiPage } from './api-page.ts';
import { describeSocket } from './asyncapi.ts';
import { clientTypes } from './client-types.ts';
import { describeService } from './document.ts';
import { settingsPage } from './settings-page.ts';
import { stabilise } from './stable.ts';

const project = new URL('../../', import.meta.url);

/**
 * Generates all files that are derived from the operations and settings. Returns their contents.
 */
export async function makeFiles(): Promise<Map<URL, string>> {
  const steps = firstSteps(await walkThroughAll());
  const source = JSON.stringify(describeService(await loadPaths(), steps), null, 2);
  const document: OpenApi = JSON.parse(source);
  const socket = describeSocket();
  return new Map([
    [new URL('docs/openapi.json', project), `${source}\n`],
    [new URL('docs/asyncapi.json', project), `${JSON.stringify(socket, null, 2)}\n`],
    [new URL('docs/api.md', project), apiPage(document, steps)],
    [new URL('docs/settings.md', project), settingsPage()],
    [new URL('packages/client/src/contract.ts', project), clientTypes(document, socket.components.schemas)],
  ]);
}

async function walkThroughAll(): Promise<Step[]> {
  const code = (await createSetupCode())?.path.split('#')[1] ?? '';
  const first = await walkThrough(inProcess, setUp(code));
  const [{ user }] = first.map(({ answer }) => answer) as [{ user: { _id: Id } }];
  const { token } = await createToken(toObjectId(user._id), 'laptop');
  const steps = await walkThrough(inProcess, walkthrough({ name: 'ann', token }, exampleNames));
  const all = [...steps, ...first];
  return stabilise(all.map(shorten), [token, code, ...all.flatMap(tokensIn)]);
}

// Shortens examples that would contain a whole document or local settings. Replaces hashes of ids
// and times, which differ in each run.
const shorten = (step: Step): Step => {
  if (step.path === '/api/openapi.json') return { ...step, answer: { openapi: '3.1.0', info: {}, paths: {} } };
  if (step.path === '/api/settings')
    return {
      ...step,
      answer: (step.answer as { name: string }[]).filter(({ name }) => ['SMTP_URL', 'EVENT_DAYS'].includes(name)),
    };
  if (step.path === '/api/audit') return { ...step, answer: (step.answer as AuditEntry[]).map(withStableHashes) };
  return step.path === '/api/asyncapi.json' ? { ...step, answer: { asyncapi: '3.0.0', info: {}, channels: {} } } : step;
};

const withStableHashes = (entry: AuditEntry): AuditEntry => ({
  ...entry,
  previous: entry.seq === 1 ? '' : hashFor(entry.seq - 1),
  hash: hashFor(entry.seq),
});

const hashFor = (seq: number): string => createHash('sha256').update(String(seq)).digest('hex');

function tokensIn({ answer }: Step): string[] {
  const { token, code, ticket, secret } = (answer ?? {}) as Record<string, unknown>;
  const texts = [token, code, ticket, secret].filter((one) => typeof one === 'string');
  return texts.map((one) => one.replace(/^whsec_/, ''));
}
