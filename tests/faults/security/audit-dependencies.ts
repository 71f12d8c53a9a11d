import { spawnSync } from 'node:child_process';
import { repositoryRoot } from '@image-gateway/testing';

/** Advisories of a severity, as pnpm counts them; null when the registry could not be asked. */
export interface Audit {
  readonly counts: Readonly<Record<string, number>> | null;
  readonly titles: readonly string[];
}

const PNPM = 'pnpm@12.21.0';
const TIMEOUT_MS = 90_000;

/** Asks the registry about known holes in what the product is installed with in production. */
export function auditDependencies(): Audit {
  const args = ['exec', '--yes', '--', PNPM, 'audit', '--prod', '--json'];
  const { stdout } = spawnSync('npm', args, {
    cwd: repositoryRoot(),
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  try {
    const { metadata, advisories = {} } = JSON.parse(stdout) as {
      metadata: { vulnerabilities: Record<string, number> };
      advisories?: Record<string, { module_name: string; severity: string; title: string }>;
    };
    const titles = Object.values(advisories).map(
      ({ module_name, severity, title }) => `${module_name} (${severity}): ${title}`,
    );
    return { counts: metadata.vulnerabilities, titles };
  } catch {
    return { counts: null, titles: [] };
  }
}
