import type { CallRefusal, CandidateReport, ResumedProvider } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import { FAILURE_TRAITS, type ProviderError, type ProviderFailure } from '../providers/failures.js';
import type { Candidate } from '../providers/port.js';
import { createPause, type Pause, type PauseSign } from './create-pause.js';
import { createPermits, type Permits, type PermitTask } from './create-permits.js';
import { type CircuitOutcome, createRouteCircuit, type RouteCircuit } from './create-route-circuit.js';

/** Availability of a candidate for a task; `last`: only when no other candidate is left. */
export type Availability =
  | { readonly kind: 'ready'; readonly last: boolean }
  /** Without a free permit. */
  | { readonly kind: 'busy'; readonly last: boolean }
  /** In a cooldown, behind an open circuit, or a trial call is running. */
  | { readonly kind: 'paused'; readonly forMs: number; readonly isTrial?: true };

/** Task that asks about a candidate. */
export type HealthTask = Pick<PermitTask, 'id' | 'accountId'>;

/** Shared knowledge of all tasks of this process about the candidates. */
export interface Health {
  readonly getAvailability: (candidate: Candidate, task: HealthTask) => Availability;
  /** Takes a permit of the candidate; null when it is not available or has none free. */
  readonly acquirePermit: (candidate: Candidate, task: HealthTask) => CallPermit | null;
  /**
   * Notes that a task waits for candidates, and returns for how many milliseconds. One task of each account comes back as soon as
   * a candidate has paused long enough, the others one after another.
   */
  readonly wait: (
    later: { readonly pauseMs: number; readonly candidates: readonly Candidate[] },
    task: HealthTask,
  ) => number;
  /** Keeps calls waiting that may not start: all of a provider that is paused, those of a candidate at this cost otherwise. */
  readonly holdBack: (candidate: Candidate, refusal: CallRefusal) => void;
  /** Waiting for permits without a worker slot. */
  readonly permits: Pick<Permits, 'wait' | 'getDueMs'>;
  /** Forgets pauses, circuits and refusals of providers that were resumed since it last heard of them. */
  readonly resume: (providers: readonly ResumedProvider[]) => void;
  readonly reports: () => readonly CandidateReport[];
}

/** Permit of a candidate, held for one call. */
export interface CallPermit {
  /** Must be called once, with the failure of the call, null for a success, or `cut` when our side ended it or never made it. */
  readonly release: (
    failure: ProviderFailure | 'cut' | null,
    said?: Partial<Pick<ProviderError, 'retryAfterMs' | 'isUnreachable'>>,
  ) => void;
}

interface CandidateEntry {
  readonly provider: string;
  readonly model: string;
  circuit: RouteCircuit;
  running: number;
  /** Tasks whose requests were refused without a reason since the last success. */
  readonly unexplained: Set<string>;
}

const MINUTE_MS = 60_000;
const QUARANTINE_MS = 10 * MINUTE_MS;
const QUOTA_QUARANTINE_MS = 60 * MINUTE_MS;
/** Until the next look whether a pause has ended, or a ceiling leaves room. */
const HOLD_MS: Readonly<Record<CallRefusal, number>> = { paused: 3_000, ceiling: 10_000 };
/** So many tasks are not all wrong: the description of the model is. */
const MAX_UNEXPLAINED = 3;
/** Between two tasks of one account that come back after the same pause. */
const STEP_MS = 50;

/** Creates the memory of this process about its candidates: circuits and permits for each, cooldowns and quarantines. */
export function createHealth({
  metrics,
  now = () => performance.now(),
}: {
  readonly metrics: Pick<Metrics, 'providerAlerts'>;
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number;
}): Health {
  const entries = new Map<string, CandidateEntry>();
  const permits = createPermits();
  const pauses = new Map<string, Pause>();
  const quarantines = createQuarantines(now);
  const held = createCooldowns(now);
  const resumedAt = new Map<string, number>();
  const getProviderName = ({ provider }: Candidate): string => provider.name;
  const getModelName = ({ provider, model }: Candidate): string => `${provider.name} ${model}`;
  const getKeyName = ({ provider, key }: Candidate): string =>
    `${provider.name} key ${key?.fingerprint ?? ''}`;
  const getAccessName = (candidate: Candidate): string =>
    `${getModelName(candidate)} key ${candidate.key?.fingerprint ?? ''}`;
  // Some providers limit each model, others the account behind the key.
  const getPauseName = ({ provider, model, key }: Candidate): string =>
    `${provider.name} ${provider.limitsAccount ? '*' : model} ${key?.fingerprint ?? ''}`;
  const listQuarantines = (candidate: Candidate): readonly string[] =>
    [getProviderName, getModelName, getKeyName, getAccessName].map((getName) => getName(candidate));
  const getQuarantineName: Readonly<Partial<Record<string, (candidate: Candidate) => string>>> = {
    credential: getKeyName,
    access: getAccessName,
    model: getModelName,
    provider: getProviderName,
  };
  const getCostName = (candidate: Candidate): string =>
    `${getModelName(candidate)} ${candidate.listCostMicros}`;
  const getPause = (candidate: Candidate): Pause => {
    const name = getPauseName(candidate);
    const pause = pauses.get(name) ?? createPause(now);
    pauses.set(name, pause);
    return pause;
  };
  const getEntry = (candidate: Candidate): CandidateEntry => {
    const id = getModelName(candidate);
    const entry = entries.get(id) ?? {
      provider: candidate.provider.name,
      model: candidate.model,
      circuit: createRouteCircuit(now),
      running: 0,
      unexplained: new Set(),
    };
    entries.set(id, entry);
    return entry;
  };

  const getAvailability: Health['getAvailability'] = (candidate, task) => {
    const { circuit } = getEntry(candidate);
    const heldMs = Math.max(held.leftMs(getProviderName(candidate)), held.leftMs(getCostName(candidate)));
    const waits = [
      heldMs > 0 ? { forMs: heldMs } : null,
      // Two turns at once could wait for each other: that of an open circuit decides.
      getPause(candidate).getWait(task, { inTurn: circuit.state() === 'closed' }),
      circuit.getWait(task),
    ].filter((wait) => wait !== null);
    if (waits.length > 0) {
      const isTrial = waits.every((wait) => 'isTrial' in wait);
      const forMs = Math.max(...waits.map((wait) => wait.forMs));
      return { kind: 'paused', forMs, ...(isTrial && { isTrial }) };
    }
    const last = listQuarantines(candidate).some((name) => quarantines.has(name, task.accountId));
    return { kind: permits.isFree(candidate, task) ? 'ready' : 'busy', last };
  };

  const applyFailure = (candidate: Candidate, failure: ProviderFailure, accountId: string): void => {
    const { circuit, alert } = FAILURE_TRAITS[failure];
    const { provider, model } = candidate;
    if (alert) {
      metrics.providerAlerts.inc({ provider: provider.name, model, failure });
    }
    const isQuota = failure === 'quota' || failure === 'model-quota';
    const name = getQuarantineName[circuit ?? '']?.(candidate);
    if (name !== undefined) {
      quarantines.begin(name, accountId, isQuota ? QUOTA_QUARANTINE_MS : QUARANTINE_MS);
    }
  };

  const forget = (provider: string): void => {
    for (const entry of entries.values()) {
      if (entry.provider === provider) {
        entry.circuit = createRouteCircuit(now);
      }
    }
    for (const name of pauses.keys()) {
      if (name.startsWith(`${provider} `)) {
        pauses.delete(name);
      }
    }
    quarantines.endAll(provider);
  };

  const countUnexplained = ({ provider, model, unexplained }: CandidateEntry, taskId: string): void => {
    unexplained.add(taskId);
    if (unexplained.size >= MAX_UNEXPLAINED) {
      unexplained.clear();
      metrics.providerAlerts.inc({ provider, model, failure: 'unexplained' });
    }
  };

  return {
    getAvailability,
    permits,
    wait: ({ pauseMs, candidates }, task) => {
      const turns = candidates.flatMap((candidate) => [
        getEntry(candidate).circuit.turns,
        getPause(candidate).turns,
      ]);
      const forMs = pauseMs + STEP_MS * Math.max(0, ...turns.map((each) => each.countAhead(task)));
      for (const each of turns) {
        each.wait(task, forMs);
      }
      return forMs;
    },
    holdBack: (candidate, refusal) =>
      held.begin(
        refusal === 'paused' ? getProviderName(candidate) : getCostName(candidate),
        HOLD_MS[refusal],
      ),
    acquirePermit: (candidate, task) => {
      const entry = getEntry(candidate);
      const isReady = getAvailability(candidate, task).kind === 'ready';
      const release = isReady ? permits.tryAcquire(candidate, task) : null;
      if (release === null) {
        return null;
      }
      const endCircuit = entry.circuit.begin(task.accountId);
      const endPause = getPause(candidate).begin(task);
      entry.running += 1;
      return {
        release: (failure, said = {}) => {
          entry.running -= 1;
          release();
          if (failure === null) {
            entry.unexplained.clear();
            quarantines.end(listQuarantines(candidate));
          }
          if (failure === 'cut' || failure === null || !candidate.provider.upstream) {
            const outcome = failure === 'cut' ? 'canceled' : 'succeeded';
            endCircuit(outcome);
            endPause(outcome);
            return;
          }
          endCircuit(toCircuitOutcome(failure, said.isUnreachable));
          endPause(toPauseSign(failure, said.retryAfterMs));
          applyFailure(candidate, failure, task.accountId);
          if (failure === 'unexplained') {
            countUnexplained(entry, task.id);
          }
        },
      };
    },
    resume: (providers) => {
      for (const { name, resumedAt: at } of providers) {
        if ((resumedAt.get(name) ?? 0) < at.getTime()) {
          resumedAt.set(name, at.getTime());
          forget(name);
        }
      }
    },
    reports: () =>
      [...entries.values()].map(({ provider, model, circuit, running }) => ({
        provider,
        model,
        circuit: circuit.state(),
        accountsPaused: circuit.countAccounts(),
        running,
        ...reportPauses(pauses, { provider, model }),
        keysSetAside: [`${provider} key `, `${provider} ${model} key `].flatMap(quarantines.under),
        setAside: quarantines.has(provider) || quarantines.has(`${provider} ${model}`),
      })),
  };
}

function toCircuitOutcome(failure: ProviderFailure, isUnreachable = false): CircuitOutcome {
  if (isUnreachable) {
    return 'unreachable';
  }
  return FAILURE_TRAITS[failure].circuit === 'count' ? 'failed' : 'answered';
}

function toPauseSign(failure: ProviderFailure, retryAfterMs: number | undefined): PauseSign {
  if (FAILURE_TRAITS[failure].circuit === 'cooldown') {
    return { cause: 'rate-limit', askedMs: retryAfterMs };
  }
  // A provider that is overloaded may say for how long.
  return failure === 'overload' && retryAfterMs !== undefined
    ? { cause: 'overload', askedMs: retryAfterMs }
    : 'failed';
}

function reportPauses(
  pauses: ReadonlyMap<string, Pause>,
  { provider, model }: Pick<CandidateReport, 'provider' | 'model'>,
): Pick<CandidateReport, 'pausedMs' | 'pauseCauses'> {
  const own = [...pauses].flatMap(([name, pause]) => {
    const report = pause.report();
    const prefix = [`${provider} * `, `${provider} ${model} `].find((each) => name.startsWith(each));
    return report && prefix !== undefined ? [[name.slice(prefix.length), report] as const] : [];
  });
  return {
    pausedMs: Object.fromEntries(own.map(([key, { leftMs }]) => [key, leftMs])),
    pauseCauses: [...new Set(own.map(([, { cause }]) => cause))],
  };
}

/** Cooldowns by name. */
interface Cooldowns {
  /** Starts a cooldown, or extends it to at least that time from now. */
  readonly begin: (name: string, forMs: number) => void;
  /** Returns the remaining milliseconds of a cooldown, 0 without one. */
  readonly leftMs: (name: string) => number;
}

/** Creates an empty set of cooldowns; an expired one is removed. */
function createCooldowns(now: () => number): Cooldowns {
  const until = new Map<string, number>();
  return {
    begin: (name, forMs) => void until.set(name, Math.max(until.get(name) ?? 0, now() + forMs)),
    leftMs: (name) => {
      const left = (until.get(name) ?? 0) - now();
      if (left <= 0) {
        until.delete(name);
      }
      return Math.max(0, left);
    },
  };
}

/** Quarantines by name: of one account until a second one has met the same refusal, then of all. */
interface Quarantines {
  readonly begin: (name: string, accountId: string, forMs: number) => void;
  /** Returns true while a name is in quarantine for an account; without one, for any. */
  readonly has: (name: string, accountId?: string) => boolean;
  readonly end: (names: readonly string[]) => void;
  /** Ends all of a provider. */
  readonly endAll: (provider: string) => void;
  /** Returns the remainders of the names in quarantine that begin with a prefix. */
  readonly under: (prefix: string) => readonly string[];
}

function createQuarantines(now: () => number): Quarantines {
  const entries = new Map<string, { readonly until: number; readonly accountId: string | null }>();
  const find = (name: string) => {
    const entry = entries.get(name);
    return entry && entry.until > now() ? entry : undefined;
  };
  return {
    begin: (name, accountId, forMs) => {
      const known = find(name);
      const isOfOne = known === undefined || known.accountId === accountId;
      const until = Math.max(known?.until ?? 0, now() + forMs);
      entries.set(name, { until, accountId: isOfOne ? accountId : null });
    },
    has: (name, accountId) => {
      const entry = find(name);
      const ofAll = accountId === undefined || entry?.accountId === null;
      return entry !== undefined && (ofAll || entry.accountId === accountId);
    },
    end: (names) => {
      for (const name of names) {
        entries.delete(name);
      }
    },
    endAll: (provider) => {
      for (const name of entries.keys()) {
        if (name === provider || name.startsWith(`${provider} `)) {
          entries.delete(name);
        }
      }
    },
    under: (prefix) =>
      [...entries.keys()].flatMap((name) =>
        name.startsWith(prefix) && find(name) ? [name.slice(prefix.length)] : [],
      ),
  };
}
