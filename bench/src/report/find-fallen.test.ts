import { describe, expect, test } from '@jest/globals';
import { findFallen } from './find-fallen.js';
import { judgeRun } from './judge-run.js';
import { findNewest, joinRounds, type Run, type Score } from './run.js';

const score = (name: string, ratios: Record<string, number[]>, scene = 'submit'): Score => ({
  scene,
  name,
  unit: '/s',
  values: [1_000],
  ratios,
});
const run = (at: string, scores: readonly Score[]): Run => ({
  at,
  commit: at,
  machine: { node: 'v24', processor: 'one', cores: 2, load: 0 },
  scores,
});

describe('a ratio of the product', () => {
  const recorded = [score('product', { 'bare Express': [0.4, 0.6, 0.5] })];

  test.each([
    ['stays', [0.5], []],
    ['falls by less than a tenth', [0.46], []],
    ['rises', [0.9], []],
    ['has one bad round of three', [0.1, 0.5, 0.5], []],
    ['falls by more than a tenth', [0.44], [0.44]],
    ['has two bad rounds of three', [0.3, 0.5, 0.4], [0.4]],
  ])('%s', (_, rounds, fallen) => {
    const found = findFallen(recorded, [score('product', { 'bare Express': rounds })]);
    expect(found.map(({ measured }) => measured)).toEqual(fallen);
    expect(found.every(({ what }) => what === 'submit: product of bare Express')).toBe(true);
  });

  test('has fallen where its scene ran without it', () => {
    expect(findFallen(recorded, [score('product, caps', {})])).toEqual([
      { scene: 'submit', what: 'submit: product of bare Express', recorded: 0.5, measured: 0 },
    ]);
    expect(findFallen(recorded, [score('product', { plain: [2] })])).toHaveLength(1);
  });

  test('is not missed where its scene did not run', () => {
    expect(findFallen(recorded, [score('product', { 'bare Express': [0.1] }, 'poll')])).toEqual([]);
  });
});

test('baselines may become slower', () => {
  const plain = [score('plain', { 'bare Express': [0.3] })];
  expect(findFallen(plain, [score('plain', { 'bare Express': [0.1] })])).toEqual([]);
});

test('rounds that are measured again join the former ones', () => {
  const first = [score('product', { plain: [1, 2] }), score('plain', {})];
  const again = [score('product', { plain: [3] }), score('product', { plain: [9] }, 'poll')];
  const joined = joinRounds(first, again);
  expect(joined.map(({ scene, name }) => `${scene} ${name}`)).toEqual([
    'submit product',
    'submit plain',
    'poll product',
  ]);
  expect(joined[0]?.ratios).toEqual({ plain: [1, 2, 3] });
  expect(joined[0]?.values).toEqual([1_000, 1_000]);
});

test('each score is taken from the newest run that has it', () => {
  const older = run('2026-01-01', [score('product', { plain: [1] }), score('product', {}, 'poll')]);
  const newer = run('2026-02-01', [score('product', { plain: [2] })]);
  expect(
    findNewest([newer, older]).map((one) => [one.run.at, one.score.scene, one.score.ratios?.plain]),
  ).toEqual([
    ['2026-02-01', 'submit', [2]],
    ['2026-01-01', 'poll', undefined],
  ]);
});

describe('a run', () => {
  const recorded = [run('2026-01-01', [score('product', { plain: [2] })])];
  const judge = async (first: number[], second: number[], processor = 'one') => {
    const said: string[] = [];
    const again: (readonly string[])[] = [];
    const fallen = await judgeRun({
      recorded,
      machine: { node: 'v26', processor, cores: 2, load: 3 },
      measured: [score('product', { plain: first }), score('product', { plain: [1] }, 'poll')],
      runScenes: async (scenes) => {
        again.push(scenes);
        return [score('product', { plain: second })];
      },
      say: (line) => said.push(line),
    });
    return { fallen: fallen.map(({ measured }) => measured), again, said };
  };

  test('without a fallen ratio is measured once', async () => {
    expect(await judge([1.9, 2], [])).toEqual({ fallen: [], again: [], said: ['no ratio fell'] });
  });

  test('with a bad minute is measured again, and counts by all rounds', async () => {
    const { fallen, again } = await judge([1, 1], [2, 2, 2]);
    expect(fallen).toEqual([]);
    expect(again).toEqual([['submit']]);
  });

  test('of a machine that no kept run is from has nothing to be compared with', async () => {
    expect(await judge([1], [], 'another')).toEqual({
      fallen: [],
      again: [],
      said: ['no run is kept of such a machine (another, 2 cores): keep one with --record'],
    });
  });

  test('that stays low has fallen', async () => {
    const { fallen, said } = await judge([1, 1], [1.2, 1.2, 1.4]);
    expect(fallen).toEqual([1.2]);
    expect(said.at(-1)).toBe('FELL: submit: product of plain was 2.00 and is 1.20, more than 10 % less');
  });
});
