import { describe, expect, test } from '@jest/globals';
import type { Quality, Resolution } from '../../contract/index.js';
import { NO_CAPABILITIES } from '../../upstreams/index.js';
import type { CatalogRoute } from './catalog.js';
import {
  drawPurchase,
  findPurchase,
  getCostMicros,
  getPriceMicros,
  listOffers,
  listQualities,
} from './prices.js';

const MODEL = { priceMicros: { '1k': 10n, '2k': { low: 20n, medium: 70n, high: 190n } } } as const;
const route = (
  cost: bigint | Partial<Record<Quality, bigint>>,
  quality: readonly Quality[] = [],
  defaultQuality: Quality | null = null,
): Pick<CatalogRoute, 'costMicros' | 'accepts' | 'defaultQuality'> => ({
  costMicros: { '1k': cost },
  accepts: { ...NO_CAPABILITIES, quality },
  defaultQuality,
});

const drawAtPlainPrice = (
  of: ReturnType<typeof route>,
  preferred: Quality | null = null,
  at = '1k' as Resolution,
) => drawPurchase(of, at, { quality: null, preferred });

describe('the prices of a model', () => {
  test('a plain price offers no choice of quality, and is never the price of a quality', () => {
    expect(getPriceMicros(MODEL, '1k', null)).toBe(10n);
    expect(getPriceMicros(MODEL, '1k', 'low')).toBeUndefined();
    expect(getPriceMicros(MODEL, '1k', 'high')).toBeUndefined();
    expect(listQualities(MODEL, '1k')).toEqual([]);
    expect(findPurchase(MODEL, '1k')).toEqual({ quality: null, unitMicros: 10n });
  });

  test('prices by quality offer exactly these qualities', () => {
    expect(listQualities(MODEL, '2k')).toEqual(['low', 'medium', 'high']);
    expect(getPriceMicros(MODEL, '2k', 'high')).toBe(190n);
    expect(getPriceMicros(MODEL, '2k', 'max')).toBeUndefined();
    expect(getPriceMicros(MODEL, '4k', null)).toBeUndefined();
    expect(listOffers(MODEL).map(({ resolution, quality }) => `${resolution} ${quality}`)).toEqual([
      '1k null',
      '2k low',
      '2k medium',
      '2k high',
    ]);
  });

  test.each([
    [{ low: 20n, medium: 70n, high: 10n }, 'medium', 70n],
    [{ low: 20n, high: 190n }, 'low', 20n],
    [{ low: 20n, high: 10n }, 'high', 10n],
    [{ high: 5n, max: 5n }, 'high', 5n],
  ] as const)(
    'a request without a quality is for medium, else for the cheapest: %j',
    (price, quality, micros) => {
      const model = { priceMicros: { '1k': price } };
      expect(findPurchase(model, '1k')).toEqual({ quality, unitMicros: micros });
    },
  );
});

describe('the costs of a route', () => {
  test('a plain cost is that of the quality which the route draws by default', () => {
    const openai = route(32n, ['low', 'medium', 'high'], 'medium');
    expect(getCostMicros(openai, '1k', null)).toBe(32n);
    expect(getCostMicros(openai, '1k', 'medium')).toBe(32n);
    expect(getCostMicros(openai, '1k', 'low')).toBeUndefined();
    expect(getCostMicros(openai, '1k', 'high')).toBeUndefined();
    expect(getCostMicros(openai, '2k', null)).toBeUndefined();
    expect(getCostMicros(route(32n), '1k', null)).toBe(32n);
    expect(getCostMicros(route(32n), '1k', 'medium')).toBeUndefined();
  });

  test('a quality without a cost, or which the route does not take, is not bought there', () => {
    const costs = route({ low: 5n, high: 160n }, ['low', 'medium'], null);
    expect(getCostMicros(costs, '1k', 'low')).toBe(5n);
    expect(getCostMicros(costs, '1k', 'medium')).toBeUndefined();
    expect(getCostMicros(costs, '1k', 'high')).toBeUndefined();
  });

  test('at a plain price the cost is that of the quality which is drawn then', () => {
    const costs = { low: 5n, medium: 40n, high: 160n };
    expect(getCostMicros(route(costs, ['low', 'medium', 'high'], 'high'), '1k', null)).toBe(160n);
    expect(drawAtPlainPrice(route(costs, ['low', 'medium', 'high'])).quality).toBe('medium');
    expect(getCostMicros(route(costs, ['low', 'medium', 'high']), '1k', null)).toBe(40n);
    expect(drawAtPlainPrice(route(costs, ['high'])).quality).toBe('high');
    expect(getCostMicros(route(costs, []), '1k', null)).toBeUndefined();
    expect(getCostMicros(route({ low: 5n }, ['low', 'medium'], 'medium'), '1k', null)).toBeUndefined();
  });

  test('a plain price never draws a quality that is dearer than the default of the route', () => {
    const all = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
    expect(drawAtPlainPrice(route(32n, all, 'medium')).preferredQualities).toEqual(['low', 'medium']);
    expect(drawAtPlainPrice(route(32n, ['high'], 'high')).preferredQualities).toEqual(['high']);
    expect(drawAtPlainPrice(route(32n, all, null)).preferredQualities).toEqual([]);
    expect(
      drawAtPlainPrice(route({ low: 50n, medium: 40n, high: 40n }, all, 'medium')).preferredQualities,
    ).toEqual(['medium']);
    expect(drawAtPlainPrice(route(32n, all, 'medium'), null, '2k').preferredQualities).toEqual([]);
    expect(drawPurchase(route(32n, all, 'medium'), '1k', { quality: 'low', preferred: 'low' })).toMatchObject(
      {
        quality: 'low',
        preferredQualities: [],
      },
    );
  });

  test('a preference at a plain price costs what its quality costs, one that is dearer what the default does', () => {
    const costs = route({ low: 5n, medium: 40n, high: 160n }, ['low', 'medium', 'high'], 'medium');
    expect(drawAtPlainPrice(costs, 'low').costMicros).toBe(5n);
    expect(drawAtPlainPrice(costs, 'high').costMicros).toBe(40n);
    expect(drawAtPlainPrice(route(32n)).costMicros).toBe(32n);
    expect(drawAtPlainPrice(costs, null, '4k').costMicros).toBe(0n);
  });
});
