import { describeDamage } from '../support/damage/harness.ts';

// The nightly tests run all commands on more databases.
describeDamage({ damages: 40, messages: 500, jobs: ['export --skip-damaged', 'database check', 'export'] });
