import { ALL_CAPABILITIES } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import { candidate } from '../../test/support/plan-samples.js';
import type { Candidate } from '../providers/port.js';
import type { FieldTask } from './choose-fields.js';
import { createFieldChooser } from './create-field-chooser.js';

const MINUTE_MS = 60_000;
const terms = { accepts: ALL_CAPABILITIES, quality: null, preferredQualities: [] };
const a: Candidate = { ...candidate('a'), terms };
const otherModel: Candidate = { ...candidate('a', { model: 'n' }), terms };
const otherKey: Candidate = { ...candidate('a', { key: 'k' }), terms };
const task = (more: Partial<FieldTask>): FieldTask => ({
  ...({ type: 'image_generate', negativePrompt: null, quality: null, seed: null } as const),
  outputFormat: null,
  background: null,
  mask: null,
  wishes: null,
  ...more,
});

describe('fields that an upstream has refused by name', () => {
  test('fields that an upstream has refused are left out of that route for ten minutes, and of no other one', () => {
    let now = 0;
    const chooser = createFieldChooser({ now: () => now });
    const takes = (one: Candidate, seed: number) => chooser.choose(task({ seed }), one, 0) !== null;
    chooser.refuse(a, { name: 'seed', value: 7, isUnknown: true });
    expect([a, otherKey, otherModel].map((one) => takes(one, 8))).toEqual([false, false, true]);
    now = 10 * MINUTE_MS - 1;
    expect(takes(a, 8)).toBe(false);
    now += 1;
    expect(takes(a, 8)).toBe(true);
  });

  test('a value that an upstream has refused says nothing about other values, which other customers may want', () => {
    const chooser = createFieldChooser();
    chooser.refuse(a, { name: 'style', value: 'odd', isUnknown: false });
    const unused = (style: string) => chooser.choose(task({ wishes: { style } }), a, 0)?.unused;
    expect(unused('odd')).toEqual(['style']);
    expect(unused('vivid')).toEqual([]);
  });

  test('a new catalog version forgets what was refused', () => {
    const chooser = createFieldChooser();
    chooser.refuse(a, { name: 'quality', value: 'high', isUnknown: true });
    expect(chooser.choose(task({ quality: 'high' }), a, 0)).toBeNull();
    chooser.clear();
    expect(chooser.choose(task({ quality: 'high' }), a, 0)).not.toBeNull();
  });

  test('a flood of odd values does not take more memory than a thousand of them', () => {
    const chooser = createFieldChooser();
    for (let seed = 0; seed <= 1_000; seed += 1) {
      chooser.refuse(a, { name: 'seed', value: seed, isUnknown: false });
    }
    const refused = [0, 1, 1_000].map((seed) => chooser.choose(task({ seed }), a, 0) === null);
    expect(refused).toEqual([false, true, true]);
  });
});
