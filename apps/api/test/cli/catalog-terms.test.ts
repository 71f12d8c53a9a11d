import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelImpact } from '@image-gateway/shared/catalog/schema';
import { createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

interface Changed {
  readonly version: number;
  readonly refused_because?: readonly string[];
  readonly impact: readonly ModelImpact[];
}

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-'));
});
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());
afterAll(() => rm(folder, { recursive: true }));

const run = (...args: string[]) =>
  runCommand<Changed>({ env: { DATABASE_URL: database.url, GEMINI_API_KEY: 'k' } }, 'catalog', ...args);
const save = async (price: string): Promise<string> => {
  const file = join(folder, 'catalog.yaml');
  await writeFile(
    file,
    `models: { sketch: { price: { 1k: "${price}" }, types: [image_generate], routes: [{ provider: gemini, model: g, cost: { 1k: "0.04" } }] } }`,
  );
  return file;
};
const getNewest = async () => (await run('show')).value.version;

describe('a price that changes by a factor of ten', () => {
  test.each([
    ['lower', '0.0060', '$0.0060'],
    ['higher', '0.6', '$0.6000'],
  ])(
    'apply and check refuse one that is ten times %s, name it, and take it with --yes; a smaller step needs nothing',
    async (_way, price, shown) => {
      expect((await run('apply', await save('0.06'))).code).toBe(0);
      const newest = await getNewest();
      const file = await save(price);
      for (const command of ['check', 'apply']) {
        const { code, value } = await run(command, file);
        expect([command, code]).toEqual([command, 1]);
        const said = value.refused_because?.join() ?? value.error?.message;
        expect(said).toContain(`sketch 1k: $0.0600 → ${shown}`);
        expect(said).toContain('--yes');
      }
      expect(await getNewest()).toBe(newest);
      for (const command of ['check', 'apply']) {
        expect((await run(command, file, '--yes')).code).toBe(0);
      }
      expect((await run('apply', await save((Number(price) * 9).toFixed(4)))).code).toBe(0);
    },
  );

  test('set-price and rollback refuse one too, and take it with --yes', async () => {
    await run('apply', await save('0.06'));
    const cheap = ['set-price', 'sketch', '1k', '0.0006'];
    const before = await getNewest();
    expect((await run(...cheap)).value.error?.message).toContain('$0.0600 → $0.0006');
    expect((await run(...cheap, '--yes')).code).toBe(0);
    expect((await run('rollback', String(before))).value.error?.message).toContain('$0.0006 → $0.0600');
    expect((await run('rollback', String(before), '--yes')).code).toBe(0);
  });

  test('check judges on the terms of apply: --base and --replace take changes by hand back', async () => {
    await run('apply', await save('0.06'));
    await run('set-price', 'sketch', '1k', '0.07');
    const newest = await getNewest();
    const file = await save('0.06');
    for (const [terms, code] of [
      [[], 1],
      [['--base', String(newest - 1)], 1],
      [['--base', String(newest)], 0],
      [['--replace'], 0],
    ] as const) {
      expect([terms, (await run('check', file, ...terms)).code]).toEqual([terms, code]);
    }
    expect((await run('apply', file, '--base', String(newest))).code).toBe(0);
  });

  test('apply says whom it concerns, and what is sold below cost', async () => {
    await run('apply', await save('0.06'));
    const { value } = await run('apply', await save('0.03'));
    const price = { offer: '1k', from: '$0.0600', to: '$0.0300', cost: '$0.0400', is_leap: false };
    expect(value.impact).toEqual([
      {
        model: 'sketch',
        kind: null,
        is_rerouted: false,
        prices: [price],
        aliases: [],
        keys: 0,
        accounts: 0,
        open_tasks: 0,
      },
    ]);
  });
});
