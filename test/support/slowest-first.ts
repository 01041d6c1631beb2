import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long although they are short. Without recorded durations, as in a fresh
 * clone, Vitest starts the largest files first, and these would run alone at the end.
 */
const slow = [
  'test/hosts/aws/deploy',
  'test/hosts/aws/package',
  'test/hosts/server/serve',
  'test/hosts/offline/start',
  'test/docs/clone',
  'test/admin/damage',
  'test/admin/import-killed',
  'test/tools/conformance/conformance',
  'packages/client/test/package',
  'packages/web/test/budgets',
  'packages/web/test/oidc',
  'packages/web/test/typing',
  'packages/web/test/files-kills',
  'packages/web/test/restarts',
  'packages/web/test/everywhere',
];

const isSlow = ({ moduleId }: TestSpecification) => slow.some((name) => moduleId.endsWith(`/${name}.ci.test.ts`));

/** Starts the slow test files first. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
