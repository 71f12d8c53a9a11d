import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { drawHistory, drawRatios } from './draw-charts.js';
import type { Run, Score } from './run.js';
import { replaceTable } from './write-table.js';

const FOLDER = 'bench/results';

/** Describes a run that begins now. */
export function describeRun(root: string): Omit<Run, 'scores'> {
  return {
    at: new Date().toISOString(),
    commit: readCommit(root),
    machine: {
      node: process.version,
      processor: os.cpus()[0]?.model.trim() ?? 'unknown',
      cores: os.availableParallelism(),
      load: Math.round((os.loadavg()[0] ?? 0) * 10) / 10,
    },
  };
}

/** Reads all runs that are kept, the oldest first. */
export function readRuns(root: string): Run[] {
  const folder = path.join(root, FOLDER);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Run)
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** Keeps a run, and writes the table and the charts of the README anew. */
export function recordRun(root: string, run: Run): string {
  const name = `${run.at.slice(0, 16).replace(/[:T]/g, '-')}.json`;
  const folder = path.join(root, FOLDER);
  mkdirSync(folder, { recursive: true });
  const rounded = { ...run, scores: run.scores.map(roundScore) };
  writeFileSync(path.join(folder, name), `${JSON.stringify(rounded, null, 2)}\n`);
  writePage(root);
  return `${FOLDER}/${name}`;
}

/** Writes the table and the charts of the README from the runs that are kept. */
export function writePage(root: string): void {
  const runs = readRuns(root);
  const readme = path.join(root, 'bench/README.md');
  writeFileSync(readme, replaceTable(readFileSync(readme, 'utf8'), runs));
  writeFileSync(path.join(root, FOLDER, 'ratios.svg'), drawRatios(runs));
  writeFileSync(path.join(root, FOLDER, 'history.svg'), drawHistory(runs));
}

function readCommit(root: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

function roundScore(score: Score): Score {
  const round = (values: readonly number[]): number[] => values.map((value) => Number(value.toPrecision(4)));
  const ratios = Object.entries(score.ratios ?? {}).map(([name, values]) => [name, round(values)]);
  return {
    ...score,
    values: round(score.values),
    ...(ratios.length > 0 && { ratios: Object.fromEntries(ratios) }),
  };
}
