import { describe, expect, test } from '@jest/globals';
import { checkDocument, findRetirements, formatFault, selectRoutes } from './index.js';

const read = (...routes: object[]) => {
  const cost = { '1k': '0.01' };
  const models = {
    old: {
      price: { '1k': '0.05' },
      routes: routes.map((route) => ({ cost, ...route })),
      max_inputs: 1,
    },
  };
  const checked = checkDocument(JSON.stringify({ models }));
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
      'models.old.routes: its last route (openai gpt-image-1.5) ends on 2026-12-01; write gpt-image-2 instead',
    ]);
    expect(warn('2026-11-26', [{ ...lasting, retires: '2026-12-20' }])[0]).toContain(
      'ends on 2026-12-20; add a route of another model',
    );
  });

  test('is no matter while another route in use lasts', () => {
    expect(warn('2026-11-26', [ending, lasting])).toEqual([]);
    expect(warn('2026-11-26', [ending, lasting], (provider) => provider === 'openai')).toHaveLength(1);
  });

  test('puts its route last from that day on, and takes it away from nobody', () => {
    const order = (day: string) => {
      const catalog = read({ ...ending, retires: day }, lasting);
      const model = catalog.models.get('old');
      const inUse = { names: ['openai', 'gemini'], sandboxServesRest: false } as const;
      return model ? selectRoutes(model, inUse).map(({ provider }) => provider) : [];
    };
    expect(order('2020-01-01')).toEqual(['gemini', 'openai']);
    expect(order('2099-01-01')).toEqual(['openai', 'gemini']);
  });
});
