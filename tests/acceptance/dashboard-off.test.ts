import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type OwnProduct, startProduct } from './support/product/product.js';

let product: OwnProduct;
beforeAll(async () => {
  product = await startProduct({ args: ['--no-dashboard'] });
}, 700_000);
afterAll(() => product.discard());

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
