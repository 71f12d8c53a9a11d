import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { listFields } from './document-schema.js';
import { documentSchema } from './index.js';

const PUBLISHED = new URL('../../../../../../docs/catalog.schema.json', import.meta.url);

test('the published schema of catalog documents is generated from their checks', () => {
  const generated = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Catalog document of image-gateway',
    ...documentSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }),
  };
  if (process.env.RECORD_SCHEMA) {
    writeFileSync(PUBLISHED, `${JSON.stringify(generated, null, 2)}\n`);
  }
  expect(JSON.parse(readFileSync(PUBLISHED, 'utf8'))).toEqual(JSON.parse(JSON.stringify(generated)));
});

test('the fields of a level are listed once, however many faults name them', () => {
  expect(listFields('route')).toContain('provider');
  expect(listFields('route')).toBe(listFields('route'));
});
