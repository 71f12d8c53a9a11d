import { describe, expect, test } from '@jest/globals';
import {
  ANY,
  COUNT,
  checkShape,
  entries,
  list,
  loose,
  NEEDED_TEXT,
  NUMBER,
  needed,
  nullable,
  readLoosely,
  readShape,
  TEXT,
} from './read-shape.js';

const schema = needed({
  images: entries(needed({ url: NEEDED_TEXT, seed: ANY })),
  id: TEXT,
  usage: loose({ tokens: COUNT, details: loose({ text: COUNT }) }),
  cost: NUMBER,
  error: nullable({ code: TEXT }),
  tags: list(NEEDED_TEXT),
});
const terms = { upstream: 'Example', upstreamId: 'r-1' };
const images = [{ url: 'https://x' }];

describe('the shape of a response', () => {
  test('the shape of a response is read with all that it has, and further fields are no fault', () => {
    const body = {
      images: [{ url: 'https://x', seed: 7, width: 1 }],
      id: 'a',
      usage: { tokens: 5, details: { text: 2 } },
      cost: 0.5,
      error: { code: 'e' },
      tags: ['a'],
      more: {},
    };
    expect(readShape(schema, body, terms)).toEqual(body);
  });

  test.each([
    {},
    { id: 7, usage: 'none', cost: 'free', error: 'x', tags: {} },
    { id: null, usage: { tokens: -1, details: [] }, cost: -1, error: [], tags: [7, null] },
    { usage: { tokens: '5', details: { text: Number.MAX_VALUE } }, cost: null, tags: null },
  ])('the shape of a response loses an optional value of an odd type, and nothing else: %j', (odd) => {
    expect(readShape(schema, { images, ...odd }, terms)).toEqual({
      images,
      id: '',
      usage: { tokens: 0, details: { text: 0 } },
      cost: null,
      error: null,
      tags: [],
    });
  });

  test('the shape of a response keeps what stands beside an odd value', () => {
    const usage = { tokens: '5', details: { text: 3 } };
    expect(readShape(schema, { images, usage }, terms).usage).toEqual({ tokens: 0, details: { text: 3 } });
  });

  test('the shape of a response keeps the good entries of a list', () => {
    const odd = [null, 7, { url: null }, { url: '' }, { url: 'https://x' }, []];
    expect(readShape(schema, { images: odd }, terms).images).toEqual(images);
    expect(readShape(schema, { images: [] }, terms).images).toEqual([]);
  });

  test.each([
    [undefined, '"value" is required'],
    [null, '"value" must be of type object'],
    [[], '"value" must be of type object'],
    [{}, '"images" is required'],
    [{ images: {} }, '"images" must be an array'],
    [{ images: [{ url: 7 }] }, '"images" failed custom validation because no entry is as documented'],
  ])('the shape of a response that lacks what is needed is refused by its place: %j', (body, text) => {
    const { error } = checkShape(schema, body, { ...terms, failure: 'unknown' });
    expect(error).toMatchObject({
      failure: 'unknown',
      upstreamId: 'r-1',
      message: `Example answered an unknown shape: ${text}`,
    });
    expect(() => readShape(schema, body, terms)).toThrow(
      expect.objectContaining({ failure: 'bad-response' }),
    );
  });

  test('the shape of an error is read from any value', () => {
    const error = loose({ error: loose({ message: TEXT }) });
    for (const value of [undefined, null, 7, 'x', [], {}, { error: 7 }, { error: { message: [] } }]) {
      expect(readLoosely(error, value)).toEqual({ error: { message: '' } });
    }
  });

  test('the shape of a response is read in milliseconds, however long its lists are', () => {
    const long = { images: [...images, ...Array.from({ length: 400_000 }, () => 0)], tags: Array(400_000) };
    const from = performance.now();
    expect(readShape(schema, long, terms).images).toEqual(images);
    expect(performance.now() - from).toBeLessThan(1_000);
  });
});
