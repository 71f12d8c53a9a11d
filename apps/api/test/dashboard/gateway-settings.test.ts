import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedSettings } from '@image-gateway/shared/config';
import type { SettingsView } from '@image-gateway/shared/system/schema';
import { upstreamSettings } from '@image-gateway/shared/upstreams';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { API_SETTINGS } from '../../src/env.js';
import { listSettings } from '../../src/system/list-settings.js';
import type { TestApi } from '../support/start-api.js';
import { type Person, startWithPeople, stopChecked } from './support/people.js';

let api: TestApi;
let operator: Person;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settings-'));
  const file = join(folder, 'gemini');
  await writeFile(file, 's3cret-gemini');
  ({ api, operator } = await startWithPeople({ GEMINI_API_KEY_FILE: file, MAX_FILES: '7', SUPPORT_URL: '' }));
});
afterAll(async () => {
  await stopChecked(api);
  await rm(folder, { recursive: true });
});

const find = (settings: SettingsView['settings'], name: string) => settings.find((one) => one.name === name);

test('the page of settings shows each setting with its value, its default and its origin', async () => {
  const { status, data } = await operator.get('/operator/settings');
  const { settings } = data as unknown as SettingsView;
  expect(status).toBe(200);
  expect(find(settings, 'MAX_FILES')).toMatchObject({ value: '7', default: '1000', source: 'environment' });
  expect(find(settings, 'RATE_LIMIT_FILES')).toMatchObject({
    value: '3000/60',
    default: '3000/60',
    source: 'default',
  });
  expect(find(settings, 'SUPPORT_URL')).toMatchObject({ value: null, default: null, source: 'default' });
  expect(find(settings, 'GEMINI_API_KEY')).toMatchObject({ value: null, source: 'file', is_secret: true });
  expect(find(settings, 'LEASE_MS')).toMatchObject({ value: null, source: 'elsewhere' });
  expect(settings.every(({ about }) => about.length > 10)).toBe(true);
  expect(settings.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(API_SETTINGS)));
});

test('the page of settings shows no byte of a secret, nor of the log-in of an address', () => {
  const given: Record<string, string> = { UNKNOWN_KEY: 's3cret' };
  for (const name of Object.keys({ ...sharedSettings, ...upstreamSettings })) {
    given[name] = /_URL$|ENDPOINT|PROXY/.test(name)
      ? `https://s3cret:s3cret@host.example:1234/path?password=s3cret#s3cret`
      : (API_SETTINGS as Record<string, { isSecret?: true }>)[name]?.isSecret
        ? 's3cret'
        : '1';
  }
  for (const address of [
    'redis://s3cret@host:6379/0',
    'redis://u:12s3cret3#x@host/0',
    'redis://u:123?s3cret@host',
    'redis://u:123/s3cret@host',
    'redis+sentinel://u:s3cret@a:1,b:2/name',
    'postgres://u:s3cret,x@a:1,b:2/name?password=s3cret',
  ]) {
    const settings = listSettings(API_SETTINGS, { ...given, REDIS_URL: address, DATABASE_URL: address });
    expect([address, JSON.stringify(settings)]).toEqual([address, expect.not.stringContaining('s3cret')]);
  }
  expect(find(listSettings(API_SETTINGS, given), 'DATABASE_URL')?.value).toBe(
    'https://host.example:1234/path',
  );
});

test('a setting whose name is that of a secret is marked as one', () => {
  const named = Object.entries(API_SETTINGS).filter(([name]) =>
    /_(KEYS?|SECRET|PASSWORD|TOKEN|HEADERS)$/.test(name),
  );
  const shown = named.filter(([, setting]) => !('isSecret' in setting));
  expect(shown.map(([name]) => name)).toEqual(['RATE_LIMIT_KEY']);
  expect(named.length).toBeGreaterThan(7);
});
