import { describe, expect, test } from '@jest/globals';
import { joinMetadata, readImageFields } from './read-image-fields.js';

const plain = readImageFields({ prompt: 'x' });
const read = (more: object, isForm = false) => {
  const fields = readImageFields({ prompt: 'x', ...more }, { isForm });
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(plain, name)));
};

describe('the wishes of a request', () => {
  test.each([
    [{ quality: 'standard' }, { quality: 'medium' }],
    [{ quality: 'hd' }, { quality: 'high' }],
    [{ quality: 'xhigh' }, { quality: 'xhigh' }],
    [{ output_format: 'jpg' }, { output_format: 'jpeg' }],
    [{ output_compression: 0 }, { output_compression: 0 }],
    [{ style: 'natural' }, { style: 'natural' }],
    [{ moderation: 'low' }, { moderation: 'low' }],
    [{ input_fidelity: 'high' }, { input_fidelity: 'high' }],
    [{ seed: 4_294_967_295 }, { seed: 4_294_967_295 }],
    [{ background: 'opaque' }, { background: 'opaque' }],
  ])('%j is read as %j', (given, expected) => {
    expect(read(given)).toEqual(expected);
  });

  test('auto, null and empty values are absent', () => {
    const names = [
      'quality',
      'output_format',
      'output_compression',
      'style',
      'moderation',
      'seed',
      'background',
    ];
    for (const value of ['auto', null, '']) {
      expect(read(Object.fromEntries(names.map((name) => [name, value])))).toEqual({});
    }
  });

  test('a value that no route understands is null, and refuses nothing', () => {
    const nonsense = {
      quality: 'premium',
      output_format: 'gif',
      output_compression: 101,
      style: { a: 1 },
      moderation: 'none',
      input_fidelity: 7,
      seed: -1,
      background: 'blue',
    };
    expect(read(nonsense)).toEqual(Object.fromEntries(Object.keys(nonsense).map((name) => [name, null])));
  });

  test('texts of a form are read as numbers, those of JSON are not', () => {
    const given = { seed: '7', output_compression: '80' };
    expect(read(given, true)).toEqual({ seed: 7, output_compression: 80 });
    expect(read(given)).toEqual({ seed: null, output_compression: null });
  });

  test('a transparent background needs a format that has it', () => {
    expect(read({ background: 'transparent', output_format: 'webp' })).toMatchObject({
      background: 'transparent',
    });
    expect(() => read({ background: 'transparent', output_format: 'jpeg' })).toThrow(
      expect.objectContaining({ param: 'background' }),
    );
  });
});

describe('the metadata of a request', () => {
  const join = (given: object, isForm = false) =>
    joinMetadata(readImageFields({ prompt: 'x', ...given }, { isForm }));

  test('is what was given, and the user unless that is given', () => {
    expect(join({})).toBeNull();
    expect(join({ user: 'ann' })).toEqual({ user: 'ann' });
    expect(join({ user: 'ann', metadata: { team: 'a' } })).toEqual({ team: 'a', user: 'ann' });
    expect(join({ user: 'ann', metadata: { user: 'bob' } })).toEqual({ user: 'bob' });
    expect(join({ metadata: '{"team":"a"}' }, true)).toEqual({ team: 'a' });
  });

  test('is left out where it does not fit', () => {
    const full = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`k${index}`, 'v']));
    expect(join({ user: 'x'.repeat(513) })).toBeNull();
    expect(join({ user: 'ann', metadata: { a: 1 } })).toEqual({ user: 'ann' });
    expect(join({ user: 'ann', metadata: full })).toEqual(full);
    expect(join({ metadata: '{' }, true)).toBeNull();
    expect(join({ metadata: 'x' })).toBeNull();
  });
});
