import { randomBytes } from 'node:crypto';
import { getEncryptionKeyId, openKeys, sealKeys } from '@image-gateway/shared/upstreams';
import { applyCatalog, eventually, type Receiver, startReceiver } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const [former, present] = [randomBytes(32), randomBytes(32)];

/** Upstream that refuses every prompt, and keeps the keys of the calls. */
let upstream: Receiver;
let seen: string[] = [];
beforeAll(async () => {
  upstream = await startReceiver((response, { headers }) => {
    seen.push(String(headers['x-goog-api-key']));
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'no' } }));
  });
});
afterAll(() => upstream.close());
beforeEach(async () => {
  seen = [];
  await world.sql('DELETE FROM provider_keys');
  await world.sql('DELETE FROM worker_reports');
});

const start = (keys: readonly Buffer[] = [present], settings: Record<string, string> = {}) =>
  world.start(null, {
    settings: {
      PROVIDERS: 'gemini',
      GEMINI_BASE_URL: upstream.url,
      ENCRYPTION_KEY: keys.map((key) => key.toString('base64')).join(),
      ...settings,
    },
  });
const set = async (
  text: string,
  { key = present, address = upstream.hostPort, name = 'gemini', protocol = 'gemini' } = {},
) => {
  const { encryptionKeyId, nonce, sealed } = sealKeys([key], { name, protocol, hostPort: address }, text);
  await world.sql(
    `INSERT INTO provider_keys (name, protocol, host_port, encryption_key_id, nonce, sealed, last_four, tested, created_by)
     VALUES ($1, $6, $2, $3, $4, $5, '', true, 'test')
     ON CONFLICT (name) DO UPDATE SET nonce = $4, sealed = $5, encryption_key_id = $3, host_port = $2`,
    [name, address, encryptionKeyId, nonce, sealed, protocol],
  );
};
const readReport = async () =>
  (await world.sql('SELECT report FROM worker_reports ORDER BY seen_at DESC LIMIT 1'))[0]?.report as
    | { providers: string[] }
    | undefined;
const call = async () => {
  const id = await world.submit();
  return world.ended(id);
};

describe('a stored key of a provider', () => {
  test('is used within 5 s, rotated and removed without a restart, and never logged', async () => {
    await set('first-stored-key');
    start();
    await call();
    expect(new Set(seen)).toEqual(new Set(['first-stored-key']));
    await set('second-stored-key');
    const changedAt = performance.now();
    await eventually(
      async () => {
        seen = [];
        await call();
        expect(new Set(seen)).toEqual(new Set(['second-stored-key']));
      },
      { timeoutMs: 5_000 },
    );
    expect(performance.now() - changedAt).toBeLessThan(5_000);
    await world.sql('DELETE FROM provider_keys');
    // An address of one's own needs no key.
    await eventually(
      async () => {
        seen = [];
        await call();
        expect(new Set(seen)).toEqual(new Set(['undefined']));
      },
      { timeoutMs: 5_000 },
    );
    expect(JSON.stringify(world.lines)).not.toContain('stored-key"');
  });

  test('gives way to the environment', async () => {
    await set('stored');
    start([present], { GEMINI_API_KEY: 'from-the-environment' });
    await call();
    expect(new Set(seen)).toEqual(new Set(['from-the-environment']));
  });

  test('is not used under another address or without its encryption key, and the log says why', async () => {
    await set('stored', { address: 'attacker.example:443' });
    start();
    await call();
    expect(JSON.stringify(world.lines)).toContain('it was set for gemini at attacker.example:443');
    await set('stored', { key: former });
    await eventually(
      () => expect(JSON.stringify(world.lines)).toContain('no ENCRYPTION_KEY here decrypts it'),
      { timeoutMs: 5_000 },
    );
    await call();
    expect(new Set(seen)).toEqual(new Set(['undefined']));
  });

  test('that nobody can decrypt any more is named at the start, and other providers go on', async () => {
    await set('lost', { name: 'fal', protocol: 'fal', address: 'queue.fal.run:443', key: former });
    world.lines.length = 0;
    start([present], { PROVIDERS: '', GEMINI_API_KEY: 'from-the-environment' });
    await call();
    expect(new Set(seen)).toEqual(new Set(['from-the-environment']));
    const line = world.lines.find(({ message }) => message === 'stored keys of providers are not used');
    expect(line).toMatchObject({
      level: 'error',
      unused: [{ name: 'fal', reason: expect.stringContaining('no ENCRYPTION_KEY here decrypts it') }],
    });
  });

  test('is encrypted anew with the first ENCRYPTION_KEY, and works on', async () => {
    await set('stored', { key: former });
    start([present, former]);
    await call();
    expect(new Set(seen)).toEqual(new Set(['stored']));
    await eventually(async () => {
      const [row = {}] = await world.sql('SELECT encryption_key_id FROM provider_keys');
      expect(row.encryption_key_id).toBe(getEncryptionKeyId(present));
    });
  });

  test('that is kept for running jobs is encrypted anew with the first ENCRYPTION_KEY too', async () => {
    const place = { name: 'gemini', protocol: 'gemini', hostPort: upstream.hostPort };
    const { encryptionKeyId, nonce, sealed } = sealKeys([former], place, 'replaced-key');
    await world.sql(
      `INSERT INTO ending_provider_keys (name, nonce, protocol, host_port, encryption_key_id, sealed, last_four)
       VALUES ('gemini', $1, 'gemini', $2, $3, $4, '')`,
      [nonce, place.hostPort, encryptionKeyId, sealed],
    );
    start([present, former]);
    await eventually(async () => {
      const [row] = await world.sql(
        'SELECT encryption_key_id AS "encryptionKeyId", nonce, sealed FROM ending_provider_keys',
      );
      expect(row).toMatchObject({ encryptionKeyId: getEncryptionKeyId(present) });
      expect(openKeys([present], place, row as never)).toBe('replaced-key');
    });
    await world.sql('DELETE FROM ending_provider_keys');
  });

  test('puts an instance of the catalog in use, also one that PROVIDERS names, and its removal takes it out of use', async () => {
    await applyCatalog(
      world.test,
      `
providers: { gem-eu: { protocol: gemini, base_url: "http://${upstream.hostPort}", key_env: GEM_EU_KEYS } }
models: { nanobanana: { routes: [{ provider: gem-eu, model: g, cost: { 1k: "0.01", 2k: "0.01", 4k: "0.01" } }] } }`,
    );
    start([present], { PROVIDERS: 'gem-eu', GEMINI_BASE_URL: '' });
    const isInUse = (names: readonly string[]) =>
      eventually(async () => expect((await readReport())?.providers).toEqual(names), { timeoutMs: 5_000 });
    await isInUse([]);
    await set('of-the-instance', { name: 'gem-eu' });
    await isInUse(['gem-eu']);
    await call();
    expect(new Set(seen)).toEqual(new Set(['of-the-instance']));
    await world.sql('DELETE FROM provider_keys');
    await isInUse([]);
  });
});
