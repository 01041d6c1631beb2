import { describeDamage } from '../support/damage/harness.ts';

// The other commands, which take longer, run at night.
describeDamage({ damages: 200, messages: 500, jobs: ['export --skip-damaged', 'database check', 'export'] });
