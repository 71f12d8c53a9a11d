import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Product } from './support/product/product.js';
import { sharedProduct } from './support/product/shared-product.js';

let product: Product;
beforeAll(async () => {
  product = await sharedProduct();
}, 700_000);

describe('npm start -- --no-dashboard', () => {
  test.each(['/dashboard', '/dashboard/keys', '/dashboard/api/session', '/dashboard/assets/index.js'])(
    'npm start -- --no-dashboard has nothing at %s',
    async (path) => {
      const answer = await fetch(`${product.url}${path}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ data: null, error: { code: 'NOT_FOUND' } });
    },
  );

  test('npm start -- --no-dashboard names no dashboard in run.json', () => {
    expect(product.run().dashboard).toBeUndefined();
  });
});
