import { defineCommand } from '../cli/define-command.js';
import { cellText } from '../cli/render.js';
import type { CheckResult } from './check-result.js';

/** Command `doctor`. */
export const commands = {
  doctor: defineCommand({
    about: 'Check every dependency and print what to do about each fault; exit code 1 on a fault',
    run: async (context) => {
      // The clients of Redis, the object store and the providers take longer to load than most commands take to run.
      const { runChecks } = await import('./run-checks.js');
      const results = await runChecks(context);
      const faults = results.filter(({ level }) => level === 'fault').length;
      const message = faults === 1 ? 'There is 1 fault.' : `There are ${faults} faults.`;
      // Tools know the fields of a check by these names.
      const checks = results.map(({ part, level, observed: seen, remediation: mend }) => ({
        part,
        level,
        seen,
        mend,
      }));
      const value =
        faults === 0
          ? { ok: true, checks }
          : { error: { code: 'INTERNAL_ERROR', message }, ok: false, checks };
      return { failed: faults > 0, value, text: renderChecks(results) };
    },
  }),
};

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const;

/** Renders the results of the doctor, one line each, and below a warning or fault its remediation. */
function renderChecks(checks: readonly CheckResult[]): string {
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
