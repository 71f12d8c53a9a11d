import type { Database, ReportedWorker } from '@image-gateway/shared/db';
import { presentAmounts } from '@image-gateway/shared/presenters';
import { listLiveWorkers } from './list-live-workers.js';
import type { ListedRoute } from './list-routes.js';
import type { Refusals } from './refusals.js';

type CandidateReport = NonNullable<ReportedWorker['report']['candidates']>[number];
type KeysOfReport = ReportedWorker['report']['keys'];

const PAUSE_CAUSES = { 'rate-limit': 'rate limit', overload: 'overload' } as const;

/** Returns why no call of a route can succeed; null where one can. */
export type ExplainRoute = Refusals['explainRoute'];

function presentState(
  { provider, model, circuit, pausedMs, ...rest }: CandidateReport,
  {
    seenAt,
    keys,
    explain,
  }: { readonly seenAt: Date; readonly keys: KeysOfReport; readonly explain: ExplainRoute },
) {
  const ms = Math.max(0, ...Object.values(pausedMs));
  const accountsPaused = rest.accountsPaused ?? 0;
  // Keys that were replaced stay set aside in the memory of the worker.
  const known = keys?.[provider]?.keys;
  const isSetAside = (fingerprint: string): boolean => rest.keysSetAside.includes(fingerprint);
  const own = known?.map(({ fingerprint }) => fingerprint).filter(isSetAside) ?? rest.keysSetAside;
  const setAside = rest.setAside || (own.length > 0 && own.length === (known?.length ?? own.length));
  const refusedBecause = explain({ provider, model });
  return {
    provider,
    model,
    /** A closed circuit would say that calls are let through. */
    circuit: refusedBecause === null ? circuit : ('refused' as const),
    refused_because: refusedBecause,
    accounts_paused: accountsPaused,
    paused_seconds: Math.ceil(ms / 1000),
    paused_until: ms > 0 ? new Date(seenAt.getTime() + ms).toISOString() : null,
    paused_because: (rest.pauseCauses ?? []).map((cause) => PAUSE_CAUSES[cause]).join(', ') || null,
    set_aside: setAside,
    held_back: circuit !== 'closed' || accountsPaused > 0 || ms > 0 || rest.setAside || own.length > 0,
    running: rest.running,
  };
}

/** State of a candidate in one worker. */
export type CandidateState = ReturnType<typeof presentState>;

/** Presents the states of the candidates in one worker. */
export function presentCandidates(
  { report: { candidates = [], keys }, seenAt }: Pick<ReportedWorker, 'report' | 'seenAt'>,
  explain: ExplainRoute,
): readonly CandidateState[] {
  return candidates.map((candidate) => presentState(candidate, { seenAt, keys, explain }));
}

/** Lists the states of all candidates in the live generation workers. */
export async function listCandidateStates(
  db: Pick<Database, 'run'>,
  explain: ExplainRoute,
): Promise<readonly CandidateState[]> {
  return (await listReports(db, explain)).flat();
}

/**
 * Returns the candidates of each model in the order of preference, with their state in the live generation workers and the
 * number of these.
 */
export async function listCandidates(
  db: Pick<Database, 'run'>,
  routes: Readonly<Record<string, readonly ListedRoute[]>>,
  explain: ExplainRoute,
) {
  const workers = await listReports(db, explain);
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
        circuit: findWorstCircuit(own) ?? 'closed',
        refused_because: explain({ provider: route.provider, model: route.model }),
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

/** Returns the worst state of the circuit of a candidate in any worker; null while none has reported it. */
export function findWorstCircuit(own: readonly CandidateState[]): CandidateState['circuit'] | null {
  const states = ['refused', 'open', 'half-open', 'closed'] as const;
  return states.find((state) => own.some(({ circuit }) => circuit === state)) ?? null;
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
  const states = await listCandidateStates(db, () => null);
  return states.some(({ provider, held_back }) => provider === name && held_back);
}

/** Lists the states of all candidates by live generation worker. */
async function listReports(
  db: Pick<Database, 'run'>,
  explain: ExplainRoute,
): Promise<readonly (readonly CandidateState[])[]> {
  const workers = await listLiveWorkers(db);
  return workers
    .filter(({ service }) => service === 'generation-worker')
    .map((worker) => presentCandidates(worker, explain));
}
