import { describe, expect, it } from 'vitest';
import { admin } from '../support/run-command.ts';

const redirectUri = 'cursor://anysphere.cursor-mcp/oauth/callback';

describe('admin app', () => {
  it('an operator registers an app, lists and removes it', async () => {
    const created = await admin(['app', 'create', '--name', 'Cursor', '--redirect-uri', redirectUri]);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{24}\n$/) });
    const clientId = created.stdout.trim();
    const { stdout } = await admin(['app', 'list', '--json']);
    const app = { client_id: clientId, name: 'Cursor', redirect_uris: [redirectUri] };
    expect(JSON.parse(stdout)).toContainEqual(app);
    expect((await admin(['app', 'list'])).stdout).toContain(clientId);
    expect((await admin(['app', 'remove', clientId])).stdout).toBe('Removed the app Cursor, and its access to accounts: 0.\n');
    expect(await admin(['app', 'remove', clientId])).toMatchObject({ code: 1, stderr: expect.stringContaining('No such app.') });
  });

  it.each([
    ['plain HTTP', 'http://app.example.com/'],
    ['a fragment', 'https://app.example.com/#x'],
    ['a script', 'javascript:alert(1)'],
    ['no address', 'callback'],
  ])('a redirect URI with %s is refused', async (_, uri) => {
    const refused = await admin(['app', 'create', '--name', 'App', '--redirect-uri', uri]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`The redirect URI ${uri} must be https`) });
  });

  it('an app needs a redirect URI', async () => {
    expect(await admin(['app', 'create', '--name', 'App'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The option --redirect-uri is required.'),
    });
  });
});
