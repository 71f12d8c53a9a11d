import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { routesSchema } from './routes-schema.js';

const PUBLISHED = new URL('../../../../../docs/routes.schema.json', import.meta.url);

test('the published schema of routing files is the one that they are checked with', () => {
  const { properties, required, description } = routesSchema['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  });
  const published: unknown = JSON.parse(readFileSync(PUBLISHED, 'utf8'));
  expect(published).toMatchObject({ properties, required });
  expect(description).toBeUndefined();
});
