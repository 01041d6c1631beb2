import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in this order. Without recorded durations, as in a fresh clone,
 * Vitest starts the largest files first. A short file that takes long would run alone at the end.
 */
const slow = [
  'packages/web/test/files-kills.ci',
  'test/hosts/server/serve.ci',
  'test/hosts/aws/deploy.ci',
  'test/hosts/server/several-servers.ci',
  'test/admin/damage.ci',
  'packages/web/test/accessibility.ci',
  'test/docs/clone.ci',
  'packages/web/test/notifications.ci',
  'packages/web/test/admin.ci',
  'test/hosts/aws/package.ci',
  'test/hosts/offline/start.ci',
  'packages/web/test/tabs.ci',
  'packages/web/test/budgets.ci',
  'packages/web/test/threads.ci',
  'test/damage/harness.ci',
  'test/hosts/server/mcp.ci',
  'packages/web/test/files.ci',
  'packages/web/test/sidebar.ci',
  'test/lib/notifications/digests.ci',
  'test/hosts/server/feed-after-kills.ci',
  'test/tools/conformance/conformance.ci',
  'packages/web/test/everywhere.ci',
  'test/hosts/push.ci',
  'test/hosts/server/push-faults.ci',
  'packages/client/test/package.ci',
  'packages/web/test/reminders.ci',
  'packages/web/test/talking.ci',
  'packages/web/test/sending.ci',
  'packages/web/test/bots.ci',
  'packages/web/test/oidc.ci',
  'packages/web/test/presence.ci',
  'packages/web/test/navigation.ci',
  'packages/web/test/admin-clicks.ci',
  'packages/embedded-mongodb/test/limits.ci',
  'packages/embedded-mongodb/test/damage-harness.ci',
  'test/hosts/server/several-servers.load.ci',
  'test/admin/transfer.ci',
  'test/admin/import-killed.ci',
  'packages/web/test/people.ci',
  'packages/web/test/devices.ci',
  'packages/web/test/members.ci',
  'packages/web/test/edits.ci',
  'packages/web/test/passkeys.ci',
  'packages/web/test/admin-rooms.ci',
  'packages/web/test/dialogs.ci',
  'packages/web/test/composer.ci',
  'test/tools/openapi/fuzz.ci',
  'test/hosts/server/soak.ci',
  'test/lib/accounts/account-limits.ci',
  'packages/embedded-mongodb/test/durability-power.ci',
  // Small files of `npm test` that take seconds.
  'test/lib/net/names',
  'test/hosts/server/slow-rooms',
  'test/tools/openapi/unavailable',
  'test/lib/database/lone-requests',
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
