import type { Database, ReportedWorker } from '@image-gateway/shared/db';
import { presentAmounts } from '@image-gateway/shared/presenters';
import { listLiveWorkers } from './list-live-workers.js';
import type { ListedRoute } from './list-routes.js';

type CandidateReport = NonNullable<ReportedWorker['report']['candidates']>[number];

const PAUSE_CAUSES = { 'rate-limit': 'rate limit', overload: 'overload' } as const;

function presentState({ provider, model, circuit, pausedMs, ...rest }: CandidateReport, seenAt: Date) {
  const ms = Math.max(0, ...Object.values(pausedMs));
  const accountsPaused = rest.accountsPaused ?? 0;
  const setAside = rest.setAside || rest.keysSetAside.length > 0;
  return {
    provider,
    model,
    circuit,
    accounts_paused: accountsPaused,
    paused_seconds: Math.ceil(ms / 1000),
    paused_until: ms > 0 ? new Date(seenAt.getTime() + ms).toISOString() : null,
    paused_because: (rest.pauseCauses ?? []).map((cause) => PAUSE_CAUSES[cause]).join(', ') || null,
    set_aside: setAside,
    held_back: circuit !== 'closed' || accountsPaused > 0 || ms > 0 || setAside,
    running: rest.running,
  };
}

/** State of a candidate in one worker. */
export type CandidateState = ReturnType<typeof presentState>;

/** Presents the states of the candidates in one worker. */
export function presentCandidates({
  report,
  seenAt,
}: Pick<ReportedWorker, 'report' | 'seenAt'>): readonly CandidateState[] {
  return (report.candidates ?? []).map((candidate) => presentState(candidate, seenAt));
}

/** Lists the states of all candidates in the live generation workers. */
export async function listCandidateStates(db: Pick<Database, 'run'>): Promise<readonly CandidateState[]> {
  return (await listReports(db)).flat();
}

/**
 * Returns the candidates of each model in the order of preference, with their state in the live generation workers and the
 * number of these.
 */
export async function listCandidates(
  db: Pick<Database, 'run'>,
  routes: Readonly<Record<string, readonly ListedRoute[]>>,
) {
  const workers = await listReports(db);
  const reports = workers.flat();
  const candidates = Object.entries(routes).flatMap(([model, candidates]) =>
    candidates.map((route) => {
      const own = reports.filter((one) => one.provider === route.provider && one.model === route.model);
      return {
        model,
        provider: route.provider,
        upstream_model: route.model,
        cost_per_image: presentAmounts(route.costMicros),
        weight: route.weight,
        /** Worst state in any worker. */
        circuit:
          ['open', 'half-open'].find((state) => own.some(({ circuit }) => circuit === state)) ?? 'closed',
        /** Most of them in any worker. */
        accounts_paused: Math.max(0, ...own.map(({ accounts_paused }) => accounts_paused)),
        paused_s: Math.max(0, ...own.map(({ paused_seconds }) => paused_seconds)),
        ...findLongestPause(own),
        set_aside: own.some(({ set_aside }) => set_aside),
        running: own.reduce((sum, { running }) => sum + running, 0),
      };
    }),
  );
  return { workers: workers.length, candidates };
}

/** Returns until when a candidate is paused at the longest in any worker, and why. */
function findLongestPause(
  own: readonly CandidateState[],
): Pick<CandidateState, 'paused_until' | 'paused_because'> {
  const [longest] = own.toSorted((a, b) => b.paused_seconds - a.paused_seconds);
  return { paused_until: longest?.paused_until ?? null, paused_because: longest?.paused_because ?? null };
}

/** Returns true while some live worker makes no calls, or fewer, to a provider for what calls have met. */
export async function isHeldBack(db: Pick<Database, 'run'>, name: string): Promise<boolean> {
  const states = await listCandidateStates(db);
  return states.some(({ provider, held_back }) => provider === name && held_back);
}

/** Lists the states of all candidates by live generation worker. */
async function listReports(db: Pick<Database, 'run'>): Promise<readonly (readonly CandidateState[])[]> {
  const workers = await listLiveWorkers(db);
  return workers.filter(({ service }) => service === 'generation-worker').map(presentCandidates);
}
