import { median } from './median.js';
import { findNewest, type Run, type Score, STATEMENTS } from './run.js';

const BEGIN = '<!-- Written by `npm run bench -- … --record`. -->';
const END = '<!-- End of what is written. -->';

/** Returns a page with the table of the newest figures between its two marks. */
export function replaceTable(page: string, runs: readonly Run[]): string {
  const [before, rest] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before < 0 || rest < before) {
    throw new Error(`the page lacks the line ${BEGIN} or ${END}`);
  }
  return `${page.slice(0, before)}${BEGIN}\n\n${writeTable(runs)}\n\n${page.slice(rest)}`;
}

/** Writes the newest figures as a table in Markdown: medians, with the lowest and highest ratio of all rounds. */
export function writeTable(runs: readonly Run[]): string {
  const rows = findNewest(runs).map(({ run, score }) => [
    score.scene,
    score.name,
    `${showNumber(median(score.values))} ${score.unit}`,
    showRatio(score, 'bare Express'),
    showRatio(score, 'raw'),
    showRatio(score, 'plain'),
    showRatio(score, STATEMENTS),
    score.cpuMicros ? `${score.cpuMicros.own} / ${score.cpuMicros.all} µs` : '',
    `${run.at.slice(0, 10)}, \`${run.commit}\`, load ${run.machine.load}`,
  ]);
  return [
    [
      'Scene',
      'Who',
      'Median',
      'Of bare Express',
      'Of raw',
      'Of plain',
      'Of its statements',
      'CPU own / all',
      'Run',
    ],
    ['---', '---', '---:', '---:', '---:', '---:', '---:', '---:', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function showRatio({ ratios }: Score, baseline: string): string {
  const rounds = ratios?.[baseline];
  if (!rounds) {
    return '';
  }
  const [low, high] = [Math.min(...rounds), Math.max(...rounds)];
  return `**${median(rounds).toFixed(2)}** (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** Shows a number in about three digits. */
export function showNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}
