import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  anything,
  boolean,
  choice,
  convert,
  enveloped,
  type Infer,
  type InferInput,
  integer,
  list,
  literal,
  nullable,
  object,
  optional,
  partial,
  record,
  type Shape,
  text,
  union,
  withDefault,
} from './index.js';

/** Compiles only for types that are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;

const check = (shape: Shape<unknown>, value: unknown) => shape.joi.validate(value, { convert: false });
const accepts = (shape: Shape<unknown>, value: unknown): boolean => check(shape, value).error === undefined;

const body = object({
  name: text({ minLength: 1, maxLength: 5 }),
  kind: choice(['a', 'b']),
  note: optional(nullable(text())),
  count: withDefault(integer({ minimum: 1 }), 7),
  at: convert(text(), (given) => (given === '' ? undefined : BigInt(given.length))),
  tags: optional(list(text(), { maxItems: 2 })),
  prices: partial(['1k', '2k'], text()),
  any: record(boolean()),
});

describe('shapes and their types', () => {
  test('the types of a body are those of a value after its check, and of a value as it is sent', () => {
    interface Out {
      readonly name: string;
      readonly kind: 'a' | 'b';
      readonly note?: string | null;
      readonly count: number;
      readonly at: bigint;
      readonly tags?: readonly string[];
      readonly prices: Readonly<Partial<Record<'1k' | '2k', string>>>;
      readonly any: Readonly<Record<string, boolean>>;
    }
    const out: Same<Infer<typeof body>, { [K in keyof Out]: Out[K] }> = true;
    const sent: InferInput<typeof body> = { name: 'x', kind: 'a', at: '1', prices: {}, any: {} };
    // @ts-expect-error a text is no number
    const wrong: InferInput<typeof body> = { ...sent, count: '7' };
    expect([out, accepts(body, sent), accepts(body, wrong)]).toEqual([true, true, false]);
    expect(check(body, sent).value).toEqual({ ...sent, count: 7, at: 1n });
  });

  test.each([
    ['text', text({ maxLength: 3 }), fc.string(), (v: unknown) => typeof v === 'string' && v.length <= 3],
    [
      'integer',
      integer({ minimum: 0 }),
      fc.double(),
      (v: unknown) => Number.isSafeInteger(v) && Number(v) >= 0,
    ],
    ['boolean', boolean(), fc.boolean(), (v: unknown) => typeof v === 'boolean'],
    [
      'choice of texts',
      choice(['a', 'b']),
      fc.constantFrom('a', 'b', 'c'),
      (v: unknown) => v === 'a' || v === 'b',
    ],
    ['choice of numbers', choice([1, 2]), fc.constantFrom(1, 2, 3), (v: unknown) => v === 1 || v === 2],
    ['literal', literal('x'), fc.constantFrom('x', 'y'), (v: unknown) => v === 'x'],
    [
      'nullable',
      nullable(text()),
      fc.option(fc.string()),
      (v: unknown) => v === null || typeof v === 'string',
    ],
    [
      'list',
      list(integer()),
      fc.array(fc.oneof(fc.integer(), fc.string())),
      (v: unknown) => Array.isArray(v) && v.every((one) => Number.isSafeInteger(one)),
    ],
    [
      'record',
      record(boolean()),
      fc.dictionary(fc.string(), fc.oneof(fc.boolean(), fc.integer())),
      (v: unknown) =>
        typeof v === 'object' &&
        v !== null &&
        !Array.isArray(v) &&
        Object.values(v).every((one) => typeof one === 'boolean'),
    ],
    [
      'union',
      union(text(), integer()),
      fc.oneof(fc.string(), fc.integer(), fc.boolean()),
      (v: unknown) => typeof v === 'string' || Number.isSafeInteger(v),
    ],
  ] as const)('%s lets through what its type says, and nothing else', (_, shape, near, isRight) => {
    fc.assert(
      fc.property(fc.oneof(near as fc.Arbitrary<unknown>, fc.jsonValue()), (value) => {
        if (Object.is(value, -0)) {
          return;
        }
        expect([value, accepts(shape, value)]).toEqual([value, isRight(value)]);
      }),
      { numRuns: 300 },
    );
  });

  test('an object takes its fields and no other, wherever it stands', () => {
    const nested = object({ inner: list(object({ id: text() })) });
    expect(accepts(nested, { inner: [{ id: 'x' }] })).toBe(true);
    expect(accepts(nested, { inner: [{ id: 'x', more: 1 }] })).toBe(false);
    expect(accepts(nested, { inner: [{}] })).toBe(false);
    expect(accepts(enveloped(nested), { data: { inner: [] }, error: null, more: 1 })).toBe(false);
  });

  test('the document says of a shape what its check says', () => {
    expect(object({ a: nullable(choice(['x'])), b: optional(list(text({ maxLength: 3 }))) }).json).toEqual({
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: ['string', 'null'], enum: ['x', null] },
        b: { type: 'array', items: { type: 'string', maxLength: 3 } },
      },
    });
    expect(accepts(anything, { a: [1] })).toBe(true);
  });
});
