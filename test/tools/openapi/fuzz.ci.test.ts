import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testSeed } from '../../../packages/embedded-mongodb/test/support/random.ts';
import { listOperations } from '../../../tools/harness/example-requests.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { contract } from '../../support/contract.ts';
import { aFixture } from '../../support/fixture.ts';
import { anyRequest } from '../../support/fuzzed-requests.ts';
import { inProcess as call } from '../../support/transports.ts';

// Random data would disturb other tests.
useOwnDatabase();
// Random requests do not count as coverage: the next run may not make the same ones.
delete process.env.CONTRACT_COVERAGE_DIRECTORY;

const numRuns = Number(process.env.FUZZ_REQUESTS ?? 1_000);

describe(`requests generated from the contract (${numRuns} with SEED=${testSeed})`, () => {
  it('requests generated from the contract are all answered as it says, and none with a 500', async () => {
    // The requests may leave little for later ones to work on, so every so often there is a new
    // fixture.
    let fixture = await aFixture();
    let left = 200;
    const anyId = fc.nat(1_000).map((n) => fixture.ids[n % fixture.ids.length] ?? '');
    const answers = new Map<number, number>();

    const answered = fc.asyncProperty(
      anyRequest(listOperations(contract), anyId),
      async ({ method, address, who, headers, body, isInvalid }) => {
        if (left-- === 0) [fixture, left] = [await aFixture(), 200];
        const { status, body: answer } = await call(method, address, { token: fixture.tokens[who], headers, body });
        answers.set(status, (answers.get(status) ?? 0) + 1);
        expect(status).toBeLessThan(500);
        if (isInvalid) expect(status).toBeGreaterThanOrEqual(400);
        expect(JSON.stringify(answer)).not.toMatch(/\bat \S+ \(|\.(ts|js):\d+:\d+|Mongo\w*Error|node_modules/);
      },
    );
    await fc.assert(answered, { numRuns, endOnFailure: true });
    if (process.env.FUZZ_REQUESTS) console.log(`${numRuns} requests, SEED=${testSeed}:`, Object.fromEntries([...answers].sort()));
  }, 3_600_000);
});
