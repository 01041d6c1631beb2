import { Secret, TOTP, URI } from 'otpauth';
import { expect } from 'vitest';
import type { Call } from './transports.ts';

const path = '/api/second-factor';

/** An authenticator app, for the address that the service returned. */
export const anApp = (uri: string): TOTP => {
  const app = URI.parse(uri);
  if (!(app instanceof TOTP)) throw new Error(`${uri} is not for codes by time`);
  return app;
};

/** The code that an app shows now, or this many steps from now. */
export const codeOf = (app: TOTP, steps = 0): string => app.generate({ timestamp: Date.now() + steps * 30_000 });

/** Six digits that an app does not show near the present time. */
export function aWrongCode(app: TOTP): string {
  const near = [-3, -2, -1, 0, 1, 2, 3].map((steps) => codeOf(app, steps));
  const wrong = ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find(
    (one) => !near.includes(one),
  );
  return wrong ?? '';
}

/** An account whose second factor is turned on, with the session or token for it. */
export type Owner = { token: string; password: string };

/** Turns on a second factor. This consumes the present code, but no later one. */
export async function turnOn(call: Call, { token, password }: Owner): Promise<{ app: TOTP; used: string; recovery: string[] }> {
  const begun = await call('POST', path, { token, body: { current_password: password } });
  expect(begun.status).toBe(201);
  const { secret, uri } = begun.body as { secret: string; uri: string };
  const app = anApp(uri);
  expect(app.secret.base32).toBe(Secret.fromBase32(secret).base32);
  const used = codeOf(app);
  const confirmed = await call('PUT', path, { token, body: { code: used } });
  expect(confirmed.status).toBe(200);
  return { app, used, recovery: (confirmed.body as { recovery_codes: string[] }).recovery_codes };
}
