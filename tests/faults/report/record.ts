import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import type { MutantResult } from '../mutants/mutant.js';
import { readCommit } from './read-commit.js';
import { renderReliability } from './reliability-page.js';
import type { RunSummary } from './run-summary.js';

const folder = (): string => path.join(repositoryRoot(), 'tests/faults/results');

/** Keeps the figures of a run, which may be one of some scenarios only, and writes the pages about reliability from all that are kept. */
export function record(summary: RunSummary): void {
  mkdirSync(folder(), { recursive: true });
  const kind = summary.simulation === null ? 'part' : 'run';
  writeFileSync(path.join(folder(), `${kind}-${summary.seed}.jsonl`), `${JSON.stringify(summary)}\n`);
  writePage();
}

/** Keeps what found which mutant, beside what is known of others. */
export function recordMutants(results: readonly MutantResult[]): void {
  mkdirSync(folder(), { recursive: true });
  const file = path.join(folder(), 'mutants.jsonl');
  const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as MutantResult[]) : [];
  const others = earlier.filter(({ name }) => !results.some((one) => one.name === name));
  writeFileSync(
    file,
    `${JSON.stringify([...others, ...results.map((result) => ({ ...result, commit: readCommit() }))])}\n`,
  );
  writePage();
}

/** Keeps what fuzzing and the audit came to. */
export function recordSecurity(lines: readonly string[]): void {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(path.join(folder(), 'security.jsonl'), `${JSON.stringify(lines)}\n`);
  writePage();
}

/** Writes the pages about reliability anew from the figures that are kept. */
export function writePage(): void {
  const names = readdirSync(folder());
  const read = <T>(name: string): T => JSON.parse(readFileSync(path.join(folder(), name), 'utf8')) as T;
  const readRuns = (pattern: RegExp): RunSummary[] =>
    names
      .filter((name) => pattern.test(name))
      .map((name) => read<RunSummary>(name))
      .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  const runs = readRuns(/^run-\d+\.jsonl$/);
  const parts = readRuns(/^part-\d+\.jsonl$/);
  const mutants = names.includes('mutants.jsonl') ? read<MutantResult[]>('mutants.jsonl') : [];
  const security = names.includes('security.jsonl') ? read<string[]>('security.jsonl') : [];
  for (const [name, text] of Object.entries(renderReliability({ runs, parts, mutants, security }))) {
    writeFileSync(path.join(repositoryRoot(), 'docs', name), text);
  }
}
