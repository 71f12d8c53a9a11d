import { randomBytes } from 'node:crypto';
import { getEncryptionKeyId, sealKeys } from '@image-gateway/shared/upstreams';
import { eventually, type Receiver, startReceiver } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const [present, other] = [randomBytes(32), randomBytes(32)];

/** Vendor that keeps the keys of its calls and knows one of them. */
let vendor: Receiver;
let seen: string[] = [];
beforeAll(async () => {
  vendor = await startReceiver((response, { headers }) => {
    const key = String(headers.authorization).replace('Bearer ', '');
    seen.push(key);
    const status = key === 'good-vendor-key' ? 200 : 401;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ id: 'gpt-image-2' }], error: { message: `${key} is unknown` } }));
  });
});
afterAll(() => vendor.close());
beforeEach(async () => {
  seen = [];
  await world.sql('DELETE FROM provider_checks');
  await world.sql('DELETE FROM provider_limits');
});

const start = (settings: Record<string, string> = {}) =>
  world.start(null, {
    settings: {
      PROVIDERS: 'openai,sandbox',
      OPENAI_BASE_URL: vendor.url,
      OPENAI_API_KEY: 'good-vendor-key',
      ENCRYPTION_KEY: present.toString('base64'),
      ...settings,
    },
  });
interface Row {
  readonly state: string;
  readonly attempt: number;
  readonly sealed: Buffer | null;
  readonly cost_micros: string | null;
  readonly result: {
    keys: { result: string; reason: string | null }[];
    models: string[] | null;
    note: string | null;
    image: { reason: string | null; model: string; width: number } | null;
  } | null;
}
let slot = 0;
const add = async (row: Record<string, unknown>): Promise<string> => {
  slot = (slot % 5) + 1;
  const id = `chk_${randomBytes(8).toString('hex')}`;
  const values = { id, provider: 'openai', slot, created_by: 'test', ...row };
  const names = Object.keys(values);
  await world.sql(
    `INSERT INTO provider_checks (${names.join()}) VALUES (${names.map((_, at) => `$${at + 1}`).join()})`,
    Object.values(values),
  );
  return id;
};
const seal = (text: string, { key = present, address = vendor.hostPort } = {}) => {
  const place = { name: 'openai', protocol: 'openai', hostPort: address };
  const { encryptionKeyId, nonce, sealed } = sealKeys([key], place, text);
  return {
    protocol: 'openai',
    host_port: address,
    encryption_key_id: encryptionKeyId,
    seal_nonce: nonce,
    sealed,
  };
};
const read = async (id: string) =>
  (await world.sql('SELECT * FROM provider_checks WHERE id = $1', [id]))[0] as unknown as Row;
const ended = (id: string) =>
  eventually(async () => {
    const row = await read(id);
    expect(row.state).toBe('done');
    return row;
  });

describe('a check of a provider', () => {
  test('is done by a worker with its own keys, which it never names', async () => {
    start();
    const { result } = await ended(await add({}));
    expect(result?.keys).toEqual([expect.objectContaining({ result: 'accepted' })]);
    expect(result?.models).toEqual(['gpt-image-2']);
    expect(JSON.stringify([result, world.lines])).not.toContain('good-vendor-key');
  });

  test('tries given keys, which are gone at its end, whatever the provider says of them', async () => {
    start();
    const ids = await Promise.all(['good-vendor-key', 'bad-vendor-key'].map((key) => add(seal(key))));
    const [good, bad] = await Promise.all(ids.map(ended));
    expect([good?.sealed, bad?.sealed]).toEqual([null, null]);
    expect(good?.result?.keys[0]?.result).toBe('accepted');
    expect(bad?.result?.keys[0]).toMatchObject({ result: 'refused', reason: '… is unknown' });
    expect(JSON.stringify([good, bad, world.lines])).not.toContain('bad-vendor-key');
    expect(await world.sql('SELECT * FROM provider_keys')).toEqual([]);
  });

  test('sends given keys to no other address than the one that they are for', async () => {
    start();
    const { result } = await ended(await add(seal('good-vendor-key', { address: 'api.example:443' })));
    expect(result?.note).toContain(`is at ${vendor.hostPort}, not at api.example:443`);
    expect(seen).toEqual([]);
  });

  test('waits for a worker that can decrypt the given keys', async () => {
    start();
    const id = await add(seal('good-vendor-key', { key: other }));
    await ended(await add({}));
    expect((await read(id)).state).toBe('pending');
    start({ ENCRYPTION_KEY: other.toString('base64') });
    expect((await ended(id)).result?.keys[0]?.result).toBe('accepted');
  });

  test('of a killed worker is done by another one within seconds', async () => {
    const lost = { state: 'running', attempt: 1, lease_until: new Date(Date.now() + 2_000) };
    const id = await add({ ...lost, ...seal('good-vendor-key') });
    start();
    const before = performance.now();
    expect(await ended(id)).toMatchObject({ attempt: 2, result: { keys: [{ result: 'accepted' }] } });
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('draws one image, and one whose process was killed while it drew is not drawn again', async () => {
    start();
    const [drawn, lost] = await Promise.all([
      ended(await add({ provider: 'sandbox', draws: true })),
      add({
        draws: true,
        state: 'running',
        attempt: 1,
        lease_until: new Date(Date.now() - 1_000),
        cost_micros: 7,
      }).then(ended),
    ]);
    expect(drawn.result).toMatchObject({ note: null });
    expect(drawn.result?.image).toMatchObject({ reason: 'no model has a route of it that draws' });
    expect(lost.result?.image?.reason).toContain('may have charged');
    expect(Number(lost.cost_micros)).toBeGreaterThanOrEqual(7);
    expect(seen).toEqual(['good-vendor-key']);
  });

  test('draws nothing at a paused provider', async () => {
    await world.sql("INSERT INTO provider_limits (name, paused_at) VALUES ('openai', now())");
    start();
    const { result } = await ended(await add({ draws: true }));
    expect(result?.image?.reason).toBe('it is paused');
    expect(seen).toEqual(['good-vendor-key']);
  });

  test('that nobody answers is ended, and takes no place any more', async () => {
    const old = new Date(Date.now() - 200_000);
    const id = await add({ created_at: old, ...seal('good-vendor-key', { key: other }) });
    start();
    expect(await ended(id)).toMatchObject({
      sealed: null,
      result: { note: 'No generation worker answered in time.' },
    });
    expect(getEncryptionKeyId(other)).not.toBe(getEncryptionKeyId(present));
  });
});
