import fc from 'fast-check';

/** Price of one image in micro-dollars. */
export const UNIT = 10_000n;
/** Tries of a task. */
export const MAX_TRIES = 3;

/** State of a task in the model; the database must match it. */
export interface ModelTask {
  readonly id: string;
  readonly asked: number;
  status: 'pending' | 'completed' | 'failed';
  phase: 'queued' | 'running';
  leaseOver: boolean;
  attempt: number;
  tries: number;
  stored: number;
  refunded: boolean;
}

/** State of one account in the model. */
export interface Model {
  balance: bigint;
  held: bigint;
  readonly tasks: ModelTask[];
}

/** One step: what happens, to which task, as which attempt (0 the newest, 1 the one before it), with which amount. */
export interface Step {
  readonly what:
    | 'submit'
    | 'claim'
    | 'expire'
    | 'store'
    | 'release'
    | 'settle'
    | 'fail'
    | 'refund'
    | 'credit'
    | 'adjust';
  readonly task: number;
  readonly behind: number;
  readonly amount: number;
}

// Named as often as they should come, so that histories get somewhere.
const WEIGHED =
  'submit submit claim claim claim expire store store store release settle settle fail refund credit adjust'.split(
    ' ',
  ) as Step['what'][];

/** Histories of 10 to 60 steps. */
export const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom(...WEIGHED),
    task: fc.nat(5),
    behind: fc.constantFrom(0, 0, 0, 1),
    amount: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 10, maxLength: 60 },
);
