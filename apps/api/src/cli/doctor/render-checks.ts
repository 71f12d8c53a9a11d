import { cellText } from '../render-table.js';
import type { CheckResult } from './check-result.js';

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const;

/** Renders the results of the doctor, one line each, and below a warning or fault its remediation. */
export function renderChecks(checks: readonly CheckResult[]): string {
  const width = Math.max(...checks.map(({ part }) => part.length));
  const lines = checks.flatMap(({ part, level, observed, remediation }) => [
    `${MARKS[level]}  ${part.padEnd(width)}  ${cellText(observed)}`,
    ...(remediation === null ? [] : [`${' '.repeat(MARKS.ok.length + width + 4)}→ ${remediation}`]),
  ]);
  const count = (level: CheckResult['level']): string => {
    const found = checks.filter((check) => check.level === level).length;
    return `${found} ${level}${found === 1 ? '' : 's'}`;
  };
  return [...lines, '', `${count('fault')}, ${count('warning')}`].join('\n');
}
