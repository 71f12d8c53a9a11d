import { type CatalogModel, readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import { expect, test } from '@jest/globals';
import { chooseSize } from './choose-size.js';

const built = readBuiltInCatalog().models.get('nanobanana');
const model = { ...built, defaultResolution: '2k' } as CatalogModel;
const fields = { prompt: 'x', n: 1, response_format: 'url', stream: false, async: false } as const;
const task = { type: 'image_generate', inputs: 0, firstSize: null, mask: false } as const;

test.each([
  ['9:16', '9:16', '2k'],
  ['3:2', '3:2', '2k'],
  ['9x16', '9:16', '1k'],
  ['2048x2048', '1:1', '2k'],
])('size %s is drawn as %s at %s where the default is 2k', (size, aspectRatio, resolution) => {
  expect(chooseSize(model, { ...fields, size }, task)).toMatchObject({ aspectRatio, resolution });
});
