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

/** What a scenario works with: a customer of its own in the laboratory that all share. */
export interface Scene {
  readonly lab: Laboratory;
  readonly random: Random;
  readonly customer: Customer;
  readonly load: (options: LoadOptions) => Load;
  /** Submits one wish and gives what became of it. */
  readonly submitOne: (wish: Submission['wish'], options?: { readonly key?: string }) => Promise<Submission>;
  /** Another customer, who is judged as well. */
  readonly another: (balanceMicros?: bigint) => Promise<Customer & Pick<Scene, 'load' | 'submitOne'>>;
  /** Notes that the scene's own customer has paid in more. */
  readonly credited: (micros: bigint) => void;
  /** Notes that a fault was put in, or so many. */
  readonly injected: (count?: number) => void;
  /** What must be so; else the scenario has found a fault, and goes on. */
  readonly must: (isSo: boolean, what: string) => void;
  /** A number for the report. */
  readonly figure: (name: string, value: number) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Names of the figures that say what one account can do to another. */
export interface TenantFigures {
  /** Worst delay of the other account, in milliseconds. */
  readonly worstMs: string;
  /** What the first account gets or holds by it. */
  readonly cost: readonly string[];
}

/** One fault, or one family of them, and what must hold while it happens and afterwards. */
export interface Scenario {
  readonly name: string;
  /** What is done to the product, in a few words. */
  readonly fault: string;
  /** What must come of it beyond what always holds. */
  readonly outcome: string;
  /** Answers below 500 that may refuse a submission. */
  readonly mayRefuse?: readonly number[];
  /** How long the work may take to come to rest once all is well again, in milliseconds; 20 s unless given. */
  readonly restWithinMs?: number;
  /** Whom the generation workers ask: the sandbox provider unless given, or stub upstreams in an order. */
  readonly providers?: 'gemini,fal' | 'fal,gemini';
  /** The money of its customer in micro-dollars; a hundred dollars unless given. */
  readonly balanceMicros?: bigint;
  /** Given when the fault is one account's doing, and another one must not be hurt. */
  readonly tenants?: TenantFigures;
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
  /** What must never be and was. */
  readonly faults: readonly string[];
  readonly tookMs: number;
}
