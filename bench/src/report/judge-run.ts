import { ALLOWED_FALL, type Fallen, findFallen } from './find-fallen.js';
import { findNewest, joinRounds, type Run, type Score } from './run.js';

/** Terms of judging a run. */
export interface Judgement {
  readonly recorded: readonly Run[];
  /** Machine of this run. */
  readonly machine: Run['machine'];
  readonly measured: readonly Score[];
  readonly runScenes: (scenes: readonly string[]) => Promise<readonly Score[]>;
  readonly say: (line: string) => void;
}

/**
 * Compares a run with the newest ratios that are kept of such a machine, and says what fell. Elsewhere a system call costs another share of
 * a request. Scenes with a fallen ratio run once more, and count by the rounds of both runs: one bad minute of the machine is no finding.
 */
export async function judgeRun({
  recorded,
  machine,
  measured,
  runScenes,
  say,
}: Judgement): Promise<Fallen[]> {
  const { processor, cores } = machine;
  const comparable = recorded.filter(
    (run) => run.machine.processor === processor && run.machine.cores === cores,
  );
  if (comparable.length === 0) {
    say(`no run is kept of such a machine (${processor}, ${cores} cores): keep one with --record`);
    return [];
  }
  const newest = findNewest(comparable).map(({ score }) => score);
  const first = findFallen(newest, measured);
  if (first.length === 0) {
    say('no ratio fell');
    return [];
  }
  const scenes = [...new Set(first.map(({ scene }) => scene))];
  say(`a ratio fell in ${scenes.join(', ')}, which is measured once more`);
  const again = await runScenes(scenes);
  const fallen = findFallen(
    newest,
    joinRounds(measured, again).filter(({ scene }) => scenes.includes(scene)),
  );
  for (const one of fallen) {
    say(
      `FELL: ${one.what} was ${one.recorded.toFixed(2)} and is ${one.measured.toFixed(2)}, more than ${ALLOWED_FALL * 100} % less`,
    );
  }
  if (fallen.length === 0) {
    say('no ratio fell, by the rounds of both runs');
  }
  return fallen;
}
