import { describe, expect, it } from 'vitest';
import { listSettings } from '../../lib/operating/shown-settings.ts';
import { settings } from '../../lib/settings/settings.ts';
import { anAdmin } from '../support/accounts.ts';
import { transports } from '../support/transports.ts';

const admin = await anAdmin();

describe.each(transports())('/api/settings, %s', (_transport, call) => {
  it('GET /api/settings lists what operations read from the environment, with defaults', async () => {
    const { status, body } = await call('GET', '/api/settings', { token: admin.token });
    expect(status).toBe(200);
    expect(body).toContainEqual({ name: 'EVENT_DAYS', value: '30', is_set: expect.any(Boolean), is_secret: false });
    expect(body).toContainEqual({ name: 'SECRET_KEY', value: null, is_set: true, is_secret: true });
  });
});

describe('the settings that administrators see', () => {
  it('the settings that administrators see have no secret, whichever it is', () => {
    const marked = Object.entries(settings).filter(([, { rule }]) => 'isSecret' in rule && rule.isSecret);
    expect(marked.map(([name]) => name)).toEqual(
      expect.arrayContaining(['MONGODB_URI', 'SMTP_URL', 'SECRET_KEY', 'OIDC_CLIENT_SECRET', 'OIDC_PROVIDERS']),
    );
    const environment = Object.fromEntries(marked.map(([name]) => [name, `hidden ${name}`]));
    const shown = listSettings(environment);
    expect(listSettings({}).find(({ name }) => name === 'EVENT_DAYS')?.is_set).toBe(false);
    expect(JSON.stringify(shown)).not.toContain('hidden');
    expect(shown.find(({ name }) => name === 'SMTP_URL')).toEqual({
      name: 'SMTP_URL',
      value: null,
      is_set: true,
      is_secret: true,
    });
  });

  it('the settings that administrators see have the list of identity providers without their secrets', () => {
    const entry = { id: 'gitlab', name: 'GitLab', issuer: 'https://gitlab.example.org', client_id: 'chat' };
    const shown = listSettings({ OIDC_PROVIDERS: JSON.stringify([{ ...entry, client_secret: 'hidden' }, entry]) });
    expect(shown.find(({ name }) => name === 'OIDC_PROVIDERS')).toEqual({
      name: 'OIDC_PROVIDERS',
      value: JSON.stringify([{ ...entry, client_secret: '***' }, entry]),
      is_set: true,
      is_secret: false,
    });
  });

  it('the settings that administrators see have no password that stands within an address', () => {
    const shown = listSettings({
      FILES_ENDPOINT: 'https://key:hidden@store.example.org',
      PUBLIC_URL: 'https://chat.example.org',
    });
    expect(shown.find(({ name }) => name === 'FILES_ENDPOINT')?.value).toBe('https://store.example.org');
    expect(shown.find(({ name }) => name === 'PUBLIC_URL')?.value).toBe('https://chat.example.org');
  });
});
