import type { Laboratory } from '../lab/start-laboratory.js';
import type { Load, LoadOptions } from '../load/start-load.js';
import type { Submission } from '../load/submission.js';
import type { Random } from '../random.js';

/** A customer of the product. */
export interface Customer {
  readonly id: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly paidInMicros: bigint;
}

/** Context of a scenario: a customer of its own in the laboratory that all scenarios share. */
export interface Scene {
  readonly lab: Laboratory;
  readonly random: Random;
  readonly customer: Customer;
  readonly load: (options: LoadOptions) => Load;
  /** Submits one request and returns its outcome. */
  readonly submitOne: (wish: Submission['wish'], options?: { readonly key?: string }) => Promise<Submission>;
  /** Adds a request of the scene's own customer that was sent in another way, so that it is judged. */
  readonly noted: (submission: Submission) => void;
  /** Another customer, who is judged as well. */
  readonly another: (balanceMicros?: bigint) => Promise<Customer & Pick<Scene, 'load' | 'submitOne'>>;
  /** Notes that the scene's own customer has paid in more. */
  readonly credited: (micros: bigint) => void;
  /** Notes that a fault was put in, or so many. */
  readonly injected: (count?: number) => void;
  /** Requires a condition; a false one is recorded as a fault, and the scenario goes on. */
  readonly must: (isSo: boolean, what: string) => void;
  /** A number for the report. */
  readonly figure: (name: string, value: number) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Names of the figures that say what one account can do to another. */
export interface TenantFigures {
  /** Worst delay of the other account, in milliseconds. */
  readonly worstMs: string;
  /** Figures of the gains or costs of the first account. */
  readonly cost: readonly string[];
}

/** Alerts of a scenario, by their names. */
export interface ScenarioAlerts {
  /** Those that have to fire. */
  readonly fire: readonly string[];
  /** Those that fire or not, depending on the speed of the machine and on chance. */
  readonly may?: readonly string[] | 'any';
}

/** One fault, or one family of them, and what must hold while it happens and afterwards. */
export interface Scenario {
  readonly name: string;
  /** Short description of the fault. */
  readonly fault: string;
  /** Required outcome, beyond the guarantees that always hold. */
  readonly outcome: string;
  /** Answers below 500 that may refuse a submission. */
  readonly mayRefuse?: readonly number[];
  /** How long the work may take to come to rest once all is well again, in milliseconds; 20 s unless given. */
  readonly restWithinMs?: number;
  /**
   * Providers of the generation workers: the sandbox unless given, the stub upstreams in an order, or instances that the
   * scenario applies.
   */
  readonly providers?: 'gemini,fal' | 'fal,gemini' | 'gpu-1,gpu-2' | 'relay,chain';
  /** The money of its customer in micro-dollars; a hundred dollars unless given. */
  readonly balanceMicros?: bigint;
  /** Given when the fault is one account's doing, and another one must not be hurt. */
  readonly tenants?: TenantFigures;
  /** Present when it needs a laboratory of its own: PostgreSQL of the system with such a standby, or PgBouncer in such a mode. */
  readonly lab?: 'synchronous' | 'asynchronous' | 'session' | 'transaction';
  /** Alerts that fire; no other one may. Where this is not given, those of `may-fire.ts` may fire or not. */
  readonly alerts?: ScenarioAlerts;
  readonly run: (scene: Scene) => Promise<void>;
}

/** How a scenario ended. */
export interface ScenarioResult {
  readonly name: string;
  readonly fault: string;
  readonly outcome: string;
  readonly injected: number;
  readonly submissions: { readonly accepted: number; readonly refused: number; readonly unknown: number };
  readonly tasks: { readonly completed: number; readonly failed: number };
  /** From the moment when all was well again until no task was pending, in milliseconds. */
  readonly restMs: number;
  /** The slowest answer to a submission, in milliseconds. */
  readonly slowestMs: number;
  readonly figures: Readonly<Record<string, number>>;
  readonly tenants?: TenantFigures;
  /** Alerts that have fired; not given where no Prometheus watched. */
  readonly alerts?: readonly string[];
  /** Violated guarantees. */
  readonly faults: readonly string[];
  readonly tookMs: number;
}
