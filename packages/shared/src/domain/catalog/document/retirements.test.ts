import { describe, expect, jest, test } from '@jest/globals';
import { checkDocument, findRetirements, formatFault, readBuiltInCatalog, selectRoutes } from './index.js';
import { listEndings, withStatedEnds } from './retirements.js';

const read = (...routes: object[]) => {
  const cost = { '1k': '0.01' };
  const models = {
    old: {
      price: { '1k': '0.05' },
      routes: routes.map((route) => ({ cost, ...route })),
      max_inputs: 1,
    },
  };
  const providers = {
    azure: { protocol: 'azure-openai', base_url: 'https://a.openai.azure.com', key_env: 'AZURE_KEYS' },
    vertex: { protocol: 'vertex', base_url: 'https://aiplatform.googleapis.com', key_env: 'VERTEX_KEYS' },
  };
  const checked = checkDocument(JSON.stringify({ models, providers }));
  if ('faults' in checked) {
    throw new Error(checked.faults.map(formatFault).join());
  }
  return checked.catalog;
};
const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
const warn = (day: string, routes: object[], usable = (_provider: string) => true): string[] => {
  const catalog = read(...routes);
  const old = catalog.models.get('old');
  return old ? findRetirements({ models: new Map([['old', old]]) }, usable, at(day)).map(formatFault) : [];
};
const ending = { provider: 'openai', model: 'gpt-image-1.5' };
const lasting = { provider: 'gemini', model: 'gemini-nano-banana-2.1' };

describe('the end of an upstream model', () => {
  test.each([
    ['2026-10-31', 0],
    ['2026-11-01', 1],
    ['2026-12-01', 1],
    ['2027-06-01', 1],
  ])('is told from 30 days before where no other route is left: on %s', (day, count) => {
    expect(warn(day, [ending])).toHaveLength(count);
  });

  test('says what to write instead', () => {
    expect(warn('2026-11-26', [ending])).toEqual([
      'models.old.routes: its last route (openai gpt-image-1.5) ends on 2026-12-01; write gpt-image-2.6-flare instead',
    ]);
    expect(warn('2026-11-26', [{ ...lasting, retires: '2026-12-20' }])[0]).toContain(
      'ends on 2026-12-20; add a route of another model',
    );
  });

  const gemini = 'gemini-nano-banana-2.1';
  const flare = 'gpt-image-2.6-flare';
  const sunburst = 'gpt-image-2.6-sunburst';
  test.each([
    ['openai', 'gpt-image-1', '2026-10-23', sunburst],
    ['openai', 'gpt-image-1-mini', '2026-12-01', flare],
    ['openai', 'gpt-image-1.5', '2026-12-01', flare],
    ['openai', 'gpt-image-1.5-2025-12-16', '2026-12-01', flare],
    ['openai', 'chatgpt-image-latest', '2026-12-01', sunburst],
    ['azure', 'gpt-image-1', '2026-10-23', null],
    ['azure', 'gpt-image-1-mini', '2027-04-07', null],
    ['azure', 'gpt-image-1.5', '2027-06-16', null],
    ['azure', 'gpt-image-2', '2027-10-21', null],
    ['gemini', 'imagen-4.0-generate-001', '2026-08-17', gemini],
    ['gemini', 'imagen-4.0-ultra-generate-001', '2026-08-17', 'gemini-3-pro-image'],
    ['vertex', 'imagen-4.0-fast-generate-001', '2026-08-17', gemini],
  ])('is built in as the vendor has announced it: %s %s', (provider, model, on, successor) => {
    const { models } = read({ provider, model });
    expect(
      listEndings({ models: new Map([...models].filter(([id]) => id === 'old')) }, () => true, at(on)),
    ).toEqual([expect.objectContaining({ id: 'old', provider, on, successor, stage: 'ended' })]);
  });

  test.each([
    ['2026-11-23', 'ends'],
    ['2026-11-24', 'ends-soon'],
    ['2026-11-30', 'ends-soon'],
    ['2026-12-01', 'ended'],
  ])('has its last stage from 7 days before: on %s', (day, stage) => {
    const { models } = read(ending);
    const old = new Map([...models].filter(([id]) => id === 'old'));
    expect(listEndings({ models: old }, () => true, at(day))).toMatchObject([{ id: 'old', stage }]);
  });

  test.each(['2026-11-30', '2026-12-01'])(
    'takes no built-in model from the offer, and no facade alias from its model: on %s',
    (day) => {
      jest.useFakeTimers({ now: at(day) });
      const { models } = readBuiltInCatalog();
      expect(listEndings({ models }, (provider) => provider === 'openai', at(day))).toEqual([]);
      for (const model of models.values()) {
        const first = selectRoutes(model, { names: ['openai'], sandboxServesRest: false })[0];
        expect(first?.model).toMatch(/^gpt-image-2\.6-(flare|sunburst)$/);
        expect(first?.retires).toBeNull();
      }
      expect(models.get('nanobanana')?.aliases).toEqual(
        expect.arrayContaining(['gpt-image-1', 'gpt-image-1-mini', 'gpt-image-1.5', 'chatgpt-image-latest']),
      );
      jest.useRealTimers();
    },
  );

  test('puts its route last from that day on, and takes it away from nobody', () => {
    const order = (day: string) => {
      jest.useFakeTimers({ now: at(day) });
      const model = read(ending, lasting).models.get('old');
      const inUse = { names: ['openai', 'gemini'], sandboxServesRest: false } as const;
      const names = model ? selectRoutes(model, inUse).map(({ provider }) => provider) : [];
      jest.useRealTimers();
      return names;
    };
    expect(order('2026-11-30')).toEqual(['openai', 'gemini']);
    expect(order('2026-12-01')).toEqual(['gemini', 'openai']);
  });

  test('is no matter while another route in use lasts', () => {
    expect(warn('2026-11-26', [ending, lasting])).toEqual([]);
    expect(warn('2026-11-26', [ending, lasting], (provider) => provider === 'openai')).toHaveLength(1);
  });
});

describe('the end that the list of a vendor states', () => {
  const readStatedEnds = (routes: object[], stated: Parameters<typeof withStatedEnds>[1]) => {
    const { models } = read(...routes);
    const old = new Map([...models].filter(([id]) => id === 'old'));
    return listEndings({ models: withStatedEnds(old, stated) }, () => true, at('2026-11-28')).map(
      ({ on, successor }) => [on, successor],
    );
  };
  const stated = { provider: 'openai', model: 'gpt-image-1.5', on: '2026-12-05' };
  const flare = 'gpt-image-2.6-flare';

  test('the end that the list of a vendor states counts more than the built-in one, whose successor stays', () => {
    expect(readStatedEnds([ending], [])).toEqual([['2026-12-01', flare]]);
    expect(readStatedEnds([ending], [stated])).toEqual([['2026-12-05', flare]]);
    expect(readStatedEnds([ending], [{ ...stated, on: '2027-06-01' }])).toEqual([]);
  });

  test('the end that the list of a vendor states is told for a model that nobody knew to end', () => {
    const route = { provider: 'openai', model: 'gpt-image-2.6-flare' };
    expect(readStatedEnds([route], [])).toEqual([]);
    expect(readStatedEnds([route], [{ ...stated, model: route.model }])).toEqual([['2026-12-05', null]]);
    expect(readStatedEnds([route], [{ ...stated, provider: 'other', model: route.model }])).toEqual([]);
  });

  test('the end that the list of a vendor states counts less than that of the document', () => {
    expect(readStatedEnds([{ ...ending, retires: '2026-12-24' }], [stated])).toEqual([['2026-12-24', flare]]);
  });
});
