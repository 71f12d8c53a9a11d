import type { CandidateReport } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import { orAbort } from '../../attempt/or-abort.js';
import { createPermits, type Permits } from '../../work/create-permits.js';
import { FAILURE_TRAITS, type ProviderFailure } from '../failure-traits.js';
import type { Candidate } from '../port.js';
import type { Availability } from './availability.js';
import { type Circuit, createCircuit } from './create-circuit.js';
import { createRests } from './create-rests.js';

/** What all tasks of this process have learnt about the candidates. */
export interface Health {
  readonly availabilityOf: (candidate: Candidate) => Availability;
  /** Waits for one of the candidate's places and goes in; null when it may not be asked any more by then. Throws the signal's reason. */
  readonly enter: (candidate: Candidate, signal: AbortSignal) => Promise<Visit | null>;
  readonly reports: () => readonly CandidateReport[];
}

/** A call under way. */
export interface Visit {
  /** Must be called once: how the call failed, null when it did not, or that our side cut it or never made it. */
  readonly leave: (failure: ProviderFailure | 'cut' | null, retryAfterMs?: number) => void;
}

interface Known {
  readonly provider: string;
  readonly model: string;
  readonly circuit: Circuit;
  readonly permits: Permits;
  running: number;
}

const MINUTE_MS = 60_000;
const LEAST_PAUSE_MS = 1_000;
const PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60 * MINUTE_MS;
const SET_ASIDE_MS = 10 * MINUTE_MS;
const QUOTA_MS = 60 * MINUTE_MS;
const PROBING_MS = 2_000;

/** Makes the memory of this process about its candidates: a circuit and a number of places for each, pauses, and what is set aside. */
export function createHealth({
  metrics,
  now = Date.now,
}: {
  readonly metrics: Pick<Metrics, 'providerAlerts'>;
  readonly now?: () => number;
}): Health {
  const known = new Map<string, Known>();
  const pauses = createRests(now);
  const aside = createRests(now);
  const modelOf = ({ provider, model }: Candidate): string => `${provider.name} ${model}`;
  const keyOf = ({ provider, key }: Candidate): string => `${provider.name} key ${key?.fingerprint ?? ''}`;
  const pauseOf = (candidate: Candidate): string =>
    `${modelOf(candidate)} ${candidate.key?.fingerprint ?? ''}`;
  const recall = (candidate: Candidate): Known => {
    const id = modelOf(candidate);
    const one = known.get(id) ?? {
      provider: candidate.provider.name,
      model: candidate.model,
      circuit: createCircuit({ now }),
      permits: createPermits(candidate.concurrency),
      running: 0,
    };
    known.set(id, one);
    return one;
  };

  const availabilityOf = (candidate: Candidate): Availability => {
    const { circuit } = recall(candidate);
    const forMs = pauses.leftMs(pauseOf(candidate));
    if (forMs > 0) return { kind: 'paused', forMs };
    if (!circuit.admits()) {
      return circuit.state() === 'half-open' ? { kind: 'paused', forMs: PROBING_MS } : { kind: 'open' };
    }
    const names = [candidate.provider.name, modelOf(candidate), keyOf(candidate)];
    return { kind: 'ready', last: names.some((name) => aside.leftMs(name) > 0) };
  };

  const learn = (candidate: Candidate, failure: ProviderFailure, retryAfterMs: number | undefined): void => {
    const { circuit, alert } = FAILURE_TRAITS[failure];
    const { provider, model } = candidate;
    if (alert) metrics.providerAlerts.inc({ provider: provider.name, model, failure });
    const asideMs = failure === 'quota' ? QUOTA_MS : SET_ASIDE_MS;
    // An hour later it may be asked again, whatever it said.
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, retryAfterMs ?? PAUSE_MS));
    if (circuit === 'cooldown') pauses.begin(pauseOf(candidate), pauseMs);
    if (circuit === 'credential') aside.begin(keyOf(candidate), asideMs);
    if (circuit === 'model') aside.begin(modelOf(candidate), asideMs);
    if (circuit === 'provider') aside.begin(provider.name, asideMs);
  };

  return {
    availabilityOf,
    enter: async (candidate, signal) => {
      const one = recall(candidate);
      const acquired = one.permits.acquire(1);
      const release = await orAbort(acquired, signal).catch((error: unknown) => {
        void acquired.then((late) => late());
        throw error;
      });
      if (availabilityOf(candidate).kind !== 'ready') {
        release();
        return null;
      }
      const end = one.circuit.begin();
      one.running += 1;
      return {
        leave: (failure, retryAfterMs) => {
          one.running -= 1;
          release();
          if (failure === 'cut' || failure === null || !candidate.provider.upstream) {
            end(failure === 'cut' ? 'cut' : 'answered');
            return;
          }
          end(FAILURE_TRAITS[failure].circuit === 'count' ? 'failed' : 'answered');
          learn(candidate, failure, retryAfterMs);
        },
      };
    },
    reports: () =>
      [...known.values()].map(({ provider, model, circuit, running }) => ({
        ...{ provider, model, circuit: circuit.state(), running },
        pausedMs: Object.fromEntries(pauses.under(`${provider} ${model} `)),
        keysSetAside: aside.under(`${provider} key `).map(([fingerprint]) => fingerprint),
        setAside: aside.leftMs(provider) > 0 || aside.leftMs(`${provider} ${model}`) > 0,
      })),
  };
}
