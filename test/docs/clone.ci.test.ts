import { describe } from 'vitest';
import { testBlocks } from '../support/documented-clone-tests.ts';
import { hasTerminal } from '../support/terminal.ts';

// Needs `script` of util-linux.
describe.runIf(hasTerminal)('a clone of the project', () => testBlocks(['clone', 'node24', 'template']));
