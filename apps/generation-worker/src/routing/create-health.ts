import type { CallRefusal, CandidateReport } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import { FAILURE_TRAITS, type ProviderError, type ProviderFailure } from '../providers/failures.js';
import type { Candidate } from '../providers/port.js';
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
  readonly circuit: RouteCircuit;
  running: number;
  /** Tasks whose requests were refused without a reason since the last success. */
  readonly unexplained: Set<string>;
}

const MINUTE_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
const PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60 * MINUTE_MS;
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
  const cooldowns = createCooldowns(now);
  const quarantines = createCooldowns(now);
  const held = createCooldowns(now);
  const getModelName = ({ provider, model }: Candidate): string => `${provider.name} ${model}`;
  const getKeyName = ({ provider, key }: Candidate): string =>
    `${provider.name} key ${key?.fingerprint ?? ''}`;
  const getAccessName = (candidate: Candidate): string =>
    `${getModelName(candidate)} key ${candidate.key?.fingerprint ?? ''}`;
  // Some providers limit each model, others the account behind the key.
  const getCooldownName = ({ provider, model, key }: Candidate): string =>
    `${provider.name} ${provider.limitsAccount ? '*' : model} ${key?.fingerprint ?? ''}`;
  const getCostName = (candidate: Candidate): string =>
    `${getModelName(candidate)} ${candidate.listCostMicros}`;
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
    const forMs = Math.max(
      cooldowns.leftMs(getCooldownName(candidate)),
      held.leftMs(candidate.provider.name),
      held.leftMs(getCostName(candidate)),
    );
    if (forMs > 0) {
      return { kind: 'paused', forMs };
    }
    const wait = circuit.getWait(task);
    if (wait !== null) {
      return { kind: 'paused', ...wait };
    }
    const names = [
      candidate.provider.name,
      getModelName(candidate),
      getKeyName(candidate),
      getAccessName(candidate),
    ];
    const last = names.some((name) => quarantines.leftMs(name) > 0);
    return { kind: permits.isFree(candidate, task) ? 'ready' : 'busy', last };
  };

  const applyFailure = (
    candidate: Candidate,
    failure: ProviderFailure,
    retryAfterMs: number | undefined,
  ): void => {
    const { circuit, alert } = FAILURE_TRAITS[failure];
    const { provider, model } = candidate;
    if (alert) {
      metrics.providerAlerts.inc({ provider: provider.name, model, failure });
    }
    const isQuota = failure === 'quota' || failure === 'model-quota';
    const quarantineMs = isQuota ? QUOTA_QUARANTINE_MS : QUARANTINE_MS;
    // The next call is allowed after an hour, whatever pause was requested.
    const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, retryAfterMs ?? PAUSE_MS));
    // A provider that is overloaded may say for how long.
    if (circuit === 'cooldown' || (failure === 'overload' && retryAfterMs !== undefined)) {
      cooldowns.begin(getCooldownName(candidate), pauseMs);
    }
    if (circuit === 'credential') {
      quarantines.begin(getKeyName(candidate), quarantineMs);
    }
    if (circuit === 'access') {
      quarantines.begin(getAccessName(candidate), quarantineMs);
    }
    if (circuit === 'model') {
      quarantines.begin(getModelName(candidate), quarantineMs);
    }
    if (circuit === 'provider') {
      quarantines.begin(provider.name, quarantineMs);
    }
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
      const turns = candidates.map((candidate) => getEntry(candidate).circuit.turns);
      const forMs = pauseMs + STEP_MS * Math.max(0, ...turns.map((each) => each.countAhead(task)));
      for (const each of turns) {
        each.wait(task, forMs);
      }
      return forMs;
    },
    holdBack: (candidate, refusal) =>
      held.begin(refusal === 'paused' ? candidate.provider.name : getCostName(candidate), HOLD_MS[refusal]),
    acquirePermit: (candidate, task) => {
      const entry = getEntry(candidate);
      const isReady = getAvailability(candidate, task).kind === 'ready';
      const release = isReady ? permits.tryAcquire(candidate, task) : null;
      if (release === null) {
        return null;
      }
      const end = entry.circuit.begin(task.accountId);
      entry.running += 1;
      return {
        release: (failure, said = {}) => {
          entry.running -= 1;
          release();
          if (failure === null) {
            entry.unexplained.clear();
          }
          if (failure === 'cut' || failure === null || !candidate.provider.upstream) {
            end(failure === 'cut' ? 'canceled' : 'succeeded');
            return;
          }
          end(toCircuitOutcome(failure, said.isUnreachable));
          applyFailure(candidate, failure, said.retryAfterMs);
          if (failure === 'unexplained') {
            countUnexplained(entry, task.id);
          }
        },
      };
    },
    reports: () =>
      [...entries.values()].map(({ provider, model, circuit, running }) => ({
        provider,
        model,
        circuit: circuit.state(),
        accountsPaused: circuit.countAccounts(),
        running,
        pausedMs: Object.fromEntries([
          ...cooldowns.under(`${provider} * `),
          ...cooldowns.under(`${provider} ${model} `),
        ]),
        keysSetAside: [`${provider} key `, `${provider} ${model} key `].flatMap((prefix) =>
          quarantines.under(prefix).map(([fingerprint]) => fingerprint),
        ),
        setAside: quarantines.leftMs(provider) > 0 || quarantines.leftMs(`${provider} ${model}`) > 0,
      })),
  };
}

function toCircuitOutcome(failure: ProviderFailure, isUnreachable = false): CircuitOutcome {
  if (isUnreachable) {
    return 'unreachable';
  }
  return FAILURE_TRAITS[failure].circuit === 'count' ? 'failed' : 'answered';
}

/** Cooldowns by name. */
export interface Cooldowns {
  /** Starts a cooldown, or extends it to at least that time from now. */
  readonly begin: (name: string, forMs: number) => void;
  /** Returns the remaining milliseconds of a cooldown, 0 without one. */
  readonly leftMs: (name: string) => number;
  /** Returns the cooldowns whose names begin with a prefix: the remainder of each name, and its remaining milliseconds. */
  readonly under: (prefix: string) => readonly (readonly [string, number])[];
}

/** Creates an empty set of cooldowns; an expired one is removed. */
function createCooldowns(now: () => number): Cooldowns {
  const until = new Map<string, number>();
  const leftMs = (name: string): number => {
    const left = (until.get(name) ?? 0) - now();
    if (left <= 0) {
      until.delete(name);
    }
    return Math.max(0, left);
  };
  return {
    begin: (name, forMs) => void until.set(name, Math.max(until.get(name) ?? 0, now() + forMs)),
    leftMs,
    under: (prefix) =>
      [...until.keys()].flatMap((name) =>
        name.startsWith(prefix) && leftMs(name) > 0
          ? [[name.slice(prefix.length), leftMs(name)] as const]
          : [],
      ),
  };
}
