import { describe, expect, test } from '@jest/globals';
import { resolveSettings } from './resolve-settings.js';

const root = '/somewhere';

describe('resolveSettings', () => {
  test('listens on 127.0.0.1:3000 and keeps its data in .data when nothing is set', () => {
    expect(resolveSettings({}, root)).toMatchObject({
      dataDir: '/somewhere/.data',
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://localhost:3000',
      localUrl: 'http://127.0.0.1:3000',
      metricsPort: 9464,
      metricsPortGiven: false,
      graceMs: 25_000,
      demo: true,
    });
  });

  test('resolveSettings makes no demo account on a database of one’s own unless DEMO=1', () => {
    const DATABASE_URL = 'postgresql://localhost/mine';
    expect(resolveSettings({ DATABASE_URL }, root).demo).toBe(false);
    expect(resolveSettings({ DATABASE_URL, DEMO: '1' }, root).demo).toBe(true);
    expect(resolveSettings({ DATABASE_URL: ' ' }, root).demo).toBe(true);
  });

  test('resolveSettings reaches an API that listens everywhere on 127.0.0.1 and one on an address of its own there', () => {
    expect(resolveSettings({ HOST: '0.0.0.0', PORT: '80' }, root).localUrl).toBe('http://127.0.0.1:80');
    expect(resolveSettings({ HOST: '::1' }, root).localUrl).toBe('http://[::1]:3000');
  });

  test.each([{ PORT: 'x' }, { PORT: '0' }, { METRICS_PORT: '70000' }, { SHUTDOWN_GRACE_MS: '-1' }])(
    'resolveSettings refuses %j by name',
    (env) => {
      expect(() => resolveSettings(env as NodeJS.ProcessEnv, root)).toThrow(Object.keys(env)[0]);
    },
  );

  test('resolveSettings keeps a grace period that no timer can hold to the longest one', () => {
    expect(resolveSettings({ SHUTDOWN_GRACE_MS: '1e15' }, root).graceMs).toBeLessThan(2 ** 31);
  });
});
