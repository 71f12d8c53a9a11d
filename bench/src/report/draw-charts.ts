import { isProduct } from './find-fallen.js';
import { median } from './median.js';
import { findNewest, nameScore, type Run, type Score } from './run.js';

const BASELINE = 'bare Express';
const WIDTH = 760;
const LEFT = 200;
const RIGHT = 60;
const ROW = 34;
const TOP = 56;
const PLOT_HEIGHT = 260;
const COLORS = ['#2563eb', '#b45309', '#047857', '#9333ea', '#be123c', '#0e7490', '#4d7c0f'];

/** Draws the newest ratios to bare Express as bars, with a line from the lowest to the highest round. */
export function drawRatios(runs: readonly Run[]): string {
  const bars = findNewest(runs).flatMap(({ score }) => readRatio(score));
  const most = Math.max(1, ...bars.flatMap(({ rounds }) => rounds));
  const x = (ratio: number): number => round(LEFT + ((WIDTH - LEFT - RIGHT) * ratio) / most);
  const rows = bars.map(({ name, rounds }, i) => {
    const y = TOP + i * ROW;
    const middle = y + ROW / 2 - 4;
    const [low, high] = [Math.min(...rounds), Math.max(...rounds)];
    return [
      text(LEFT - 10, middle + 4, name, 'end'),
      `<rect x="${LEFT}" y="${y}" width="${round(x(median(rounds)) - LEFT)}" height="${ROW - 10}" rx="2" fill="${COLORS[0]}"/>`,
      `<path d="M${x(low)} ${middle}H${x(high)}" stroke="#111827" stroke-width="2"/>`,
      text(x(Math.max(high, median(rounds))) + 8, middle + 4, median(rounds).toFixed(2)),
    ].join('\n');
  });
  const height = TOP + bars.length * ROW + 20;
  return draw(height, `Requests a second, as a share of ${BASELINE} in the same run`, [
    `<path d="M${x(1)} ${TOP - 8}V${height - 16}" stroke="#6b7280" stroke-dasharray="4 3"/>`,
    ...rows,
  ]);
}

/** Draws the ratios to bare Express over all runs that are kept, a line for each. */
export function drawHistory(runs: readonly Run[]): string {
  const sorted = [...runs]
    .filter(({ scores }) => scores.some((score) => readRatio(score).length > 0))
    .sort((a, b) => a.at.localeCompare(b.at));
  const names = [
    ...new Set(sorted.flatMap(({ scores }) => scores.flatMap(readRatio).map(({ name }) => name))),
  ];
  const [left, right] = [44, 190];
  const x = (i: number): number =>
    round(left + ((WIDTH - left - right) * (i + 0.5)) / Math.max(1, sorted.length));
  const y = (ratio: number): number => round(TOP + PLOT_HEIGHT * (1 - Math.min(ratio, 1.2) / 1.2));
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (ratio) =>
      `<path d="M${left} ${y(ratio)}H${WIDTH - right}" stroke="#d1d5db"/>${text(left - 6, y(ratio) + 4, ratio.toFixed(2), 'end')}`,
  );
  const days = sorted.map(({ at }, i) =>
    i === 0 || sorted.length - 1 === i || at.slice(0, 10) !== sorted[i - 1]?.at.slice(0, 10)
      ? text(x(i), TOP + PLOT_HEIGHT + 18, at.slice(5, 10), 'middle')
      : '',
  );
  const lines = names.map((name, line) => {
    const color = COLORS[line % COLORS.length] ?? '';
    const points = sorted.flatMap(({ scores }, i) => {
      const found = scores.flatMap(readRatio).find((one) => one.name === name);
      return found ? [{ x: x(i), y: y(median(found.rounds)) }] : [];
    });
    const marks = points.map((point) => `<circle cx="${point.x}" cy="${point.y}" r="3" fill="${color}"/>`);
    const path = points.map((point) => `${point.x},${point.y}`).join(' ');
    return [
      `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ...marks,
      `<rect x="${WIDTH - right + 14}" y="${TOP + line * 22}" width="12" height="12" fill="${color}"/>`,
      text(WIDTH - right + 32, TOP + line * 22 + 10, name),
    ].join('\n');
  });
  return draw(TOP + PLOT_HEIGHT + 34, `Share of ${BASELINE}, medians of the kept runs`, [
    ...grid,
    ...days,
    ...lines,
  ]);
}

function readRatio(score: Score): { readonly name: string; readonly rounds: readonly number[] }[] {
  const rounds = score.ratios?.[BASELINE];
  return rounds && isProduct(score.name)
    ? [
        {
          name: nameScore(score)
            .replace(/: product,?/, ',')
            .replace(/,$/, ''),
          rounds,
        },
      ]
    : [];
}

// The ground is white in dark pages too, so that everything can be read.
function draw(height: number, title: string, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="${title}">
<rect width="${WIDTH}" height="${height}" rx="6" fill="#ffffff"/>
<text x="20" y="28" font-size="15" font-weight="600" fill="#111827">${title}</text>
${parts.filter(Boolean).join('\n')}
</svg>
`;
}

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end' = 'start'): string {
  const safe = words.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="#111827">${safe}</text>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
