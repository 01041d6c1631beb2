import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { manners } from '../../../tools/harness/hanging-world/party.ts';
import { pressAll } from '../../../tools/harness/hanging-world/press.ts';
import { settle } from '../../../tools/harness/hanging-world/town.ts';
import { kinds, type VisitAnswer, visitOnce } from '../../../tools/harness/hanging-world/visit.ts';
import { parties, startHangingWorld } from '../../../tools/harness/hanging-world/world.ts';
import { commands } from '../../../tools/harness/service.ts';
import { aService } from '../../support/services.ts';
import { isEmbedded } from '../../support/worker.ts';

/*
 * `npm run serve` as an operator starts it, and ten members who have it call everything outside it
 * that hangs. How long the answers to others take is measured by `npm run bench -- hanging`.
 */

const attackerCount = 10;
const rounds = 10;

/**
 * The settings that the tests change, as they are by default, except the number of slots. With so
 * few, the user would wait until 503 if requests kept their slots while they wait outside.
 */
const defaults = { MONGODB_URI: '', MONGODB_POOL_SIZE: '4', RATE_LIMITS: '', SECRET_KEY: '', AUDIT_LOG: '' };

/** Without this, requests keep their slots while they wait outside. */
const control = `--import=${new URL('../../support/without-slot-release.mjs', import.meta.url)}`;

type TestContext = Pick<import('vitest').TestContext, 'expect' | 'onTestFinished'>;

/** The answers to a user that are not a success, while attackers call parties that hang. */
async function refusalsWhile(
  manner: (typeof manners)[number],
  times: number,
  { expect, onTestFinished }: TestContext,
  settings: Record<string, string> = {},
): Promise<VisitAnswer[]> {
  const directory = await mkdtemp(join(tmpdir(), 'chat-hanging-'));
  const world = await startHangingWorld(manner);
  const own = { ...defaults, MONGODB_DATABASE: 'chat', DATA_DIR: directory, HTTP_HOST: '127.0.0.1', LOG_LEVEL: 'error' };
  const service = await aService({ ...own, ...world.settings, ...settings }, commands.serve);
  onTestFinished(async () => {
    service.signal('SIGKILL');
    await service.ended;
    await world.close();
    await rm(directory, { recursive: true });
  });
  const town = await settle(service, world, attackerCount);
  const pressing = await pressAll(service.url, town, world, parties);
  // Its last requests are answered by the end of the service.
  onTestFinished(() => void pressing.stop());
  await expect.poll(() => pressing.open()).toBeGreaterThan(attackerCount);
  if (settings.NODE_OPTIONS === undefined)
    for (const name of parties) await expect.poll(() => [name, world.parties[name].timesAsked() ?? 1]).not.toEqual([name, 0]);

  const agent = new Agent({ keepAlive: true });
  const refused: VisitAnswer[] = [];
  for (let round = 0; round < times; round++) {
    const answers = await visitOnce(service.url, town, agent);
    expect(answers.map(({ kind }) => kind)).toEqual(kinds);
    refused.push(...answers.filter(({ status }) => status !== 200 && status !== 201));
    expect(pressing.open()).toBeGreaterThan(0);
  }
  agent.destroy();
  expect(Object.keys(pressing.answers())).not.toContain('500');
  return refused;
}

describe.runIf(isEmbedded).concurrent('npm run serve while every party outside hangs', () => {
  it.for(manners)('npm run serve answers another user while every outside party %s', async (manner, context) => {
    context.expect(await refusalsWhile(manner, rounds, context)).toEqual([]);
  });

  it('as a control, the same user gets 503 if requests keep their slots while they wait outside', async (context) => {
    const refused = await refusalsWhile(manners[0], 1, context, { NODE_OPTIONS: control });
    context.expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
  });
});
