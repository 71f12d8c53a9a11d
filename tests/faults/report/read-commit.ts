import { execFileSync } from 'node:child_process';

/** The commit that is checked out; `unknown` in a copy without history. */
export function readCommit(): string {
  if (process.env.FAULTS_COMMIT !== undefined) {
    return process.env.FAULTS_COMMIT;
  }
  try {
    const args = ['-c', 'safe.directory=*', 'rev-parse', '--short', 'HEAD'];
    return execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}
