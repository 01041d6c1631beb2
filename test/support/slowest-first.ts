import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in this order. Without recorded durations, as in a fresh clone,
 * Vitest starts the largest files first. A short file that takes long would run alone at the end.
 */
const slow = [
  'packages/web/test/accessibility.ci',
  'packages/web/test/sending.ci',
  'test/hosts/server/serve.ci',
  'test/admin/damage.ci',
  'test/hosts/aws/package.ci',
  'packages/web/test/admin-clicks.ci',
  'test/damage/harness.ci',
  'test/hosts/aws/deploy.ci',
  'packages/web/test/budgets.ci',
  'packages/web/test/files-kills.ci',
  'packages/web/test/admin.ci',
  'test/hosts/server/several-servers.ci',
  'test/docs/clone.ci',
  'test/hosts/server/push-faults.ci',
  'test/lib/accounts/password-pool.ci',
  'packages/web/test/notifications.ci',
  'packages/web/test/oidc.ci',
  'test/hosts/offline/start.ci',
  'packages/client/test/package.ci',
  'packages/embedded-mongodb/test/limits.ci',
  'test/tools/conformance/conformance.ci',
  'test/lib/http/remembered.ci',
  'test/tools/bench/suites.ci',
  'packages/web/test/typing.ci',
  'test/admin/import-killed.ci',
  'packages/web/test/restarts.ci',
  'packages/web/test/everywhere.ci',
  'test/lib/accounts/login.ci',
  'test/hosts/offline/reload.ci',
];

/** The place of a file in the list; behind all of it if it is not there. */
function rankOf({ moduleId }: TestSpecification): number {
  const rank = slow.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return rank < 0 ? slow.length : rank;
}

/** Starts the slow test files first. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
