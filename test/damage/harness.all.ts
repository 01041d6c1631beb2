import { describeDamage } from '../support/damage/harness.ts';

const { DAMAGES = '200', DAMAGE_MESSAGES = '2000', DAMAGE_LOG } = process.env;

describeDamage({ damages: Number(DAMAGES), messages: Number(DAMAGE_MESSAGES), ...(DAMAGE_LOG && { log: DAMAGE_LOG }) });
