import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in this order. Without recorded durations, as in a fresh clone,
 * Vitest starts the largest files first. A short file that takes long would run alone at the end.
 */
const slow = [
  'packages/web/test/accessibility.ci',
  'test/hosts/server/serve.ci',
  'test/hosts/aws/package.ci',
  'test/admin/damage.ci',
  'packages/web/test/sending.ci',
  'test/hosts/aws/deploy.ci',
  'test/hosts/server/several-servers.ci',
  'packages/web/test/files-kills.ci',
  'packages/web/test/admin-clicks.ci',
  'test/hosts/offline/start.ci',
  'packages/web/test/budgets.ci',
  'test/tools/conformance/conformance.ci',
  'packages/web/test/admin.ci',
  'packages/web/test/tabs.ci',
  'packages/web/test/notifications.ci',
  'packages/web/test/everywhere.ci',
  'packages/web/test/files.ci',
  'test/hosts/push.ci',
  'test/damage/harness.ci',
  'packages/web/test/threads.ci',
  'packages/web/test/oidc.ci',
  'test/hosts/server/mcp.ci',
  'test/hosts/server/push-faults.ci',
  'packages/web/test/bots.ci',
  'packages/web/test/presence.ci',
  'packages/web/test/navigation.ci',
  'packages/web/test/talking.ci',
  'packages/web/test/sidebar.ci',
  'test/hosts/server/feed-after-kills.ci',
  'test/tools/bench/suites.ci',
  'packages/web/test/reminders.ci',
  'test/admin/import-killed.ci',
  'test/docs/clone.ci',
  'packages/web/test/devices.ci',
  'packages/web/test/members.ci',
  'test/tools/openapi/fuzz.ci',
  'test/lib/notifications/digests.ci',
  'packages/embedded-mongodb/test/limits.ci',
  'packages/web/test/typing.ci',
  'packages/client/test/package.ci',
  'test/admin/transfer.ci',
  'test/hosts/server/several-servers.load.ci',
  'test/hosts/server/soak.ci',
  'packages/embedded-mongodb/test/durability-power.ci',
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
