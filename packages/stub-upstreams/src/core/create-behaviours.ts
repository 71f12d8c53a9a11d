import {
  type Behaviour,
  type CallKind,
  JOB_OUTCOMES,
  STUB_MODES,
  STUB_PROVIDERS,
  type StubMode,
  type StubProvider,
} from './behaviour.js';

/** Details of a call by which its behaviour is chosen. */
export interface CallDetails {
  readonly kind: CallKind;
  readonly key: string | null;
  readonly model: string | null;
  readonly prompt: string | null;
}

/** How every provider behaves just now. */
export interface Behaviours {
  /** Replaces what was said about the provider before; throws Error for what makes no sense. */
  readonly set: (provider: StubProvider, behaviours: readonly Behaviour[], seed?: number) => void;
  readonly get: () => Readonly<Record<string, readonly Behaviour[]>>;
  readonly reset: () => void;
  /** How this call is treated. Draws a number when some behaviour is for a share of the calls. */
  readonly choose: (provider: StubProvider, occasion: CallDetails) => Behaviour;
}

interface Plan {
  readonly rules: { readonly behaviour: Behaviour; left: number }[];
  readonly draw: () => number;
}

const ASYNCHRONOUS: ReadonlySet<StubProvider> = new Set(['fal', 'replicate', 'comfyui', 'task']);
const OF_FILES: ReadonlySet<StubMode> = new Set(['truncated', 'drip', 'huge']);
const OK: Behaviour = { mode: 'ok' };
const ALL = 100;

/** Makes providers that all behave well. */
export function createBehaviours(): Behaviours {
  let plans = new Map<StubProvider, Plan>();
  return {
    set: (provider, behaviours, seed = 1) => {
      for (const behaviour of behaviours) {
        check(provider, behaviour);
      }
      const rules = behaviours.map((behaviour) => ({
        behaviour,
        left: behaviour.times ?? Number.POSITIVE_INFINITY,
      }));
      plans.set(provider, { rules, draw: createRandom(seed) });
    },
    get: () =>
      Object.fromEntries(
        STUB_PROVIDERS.map((name) => [name, plans.get(name)?.rules.map(({ behaviour }) => behaviour) ?? []]),
      ),
    reset: () => {
      plans = new Map();
    },
    choose: (provider, occasion) => {
      const plan = plans.get(provider);
      if (plan === undefined) {
        return OK;
      }
      const fitting = plan.rules.filter(
        ({ behaviour, left }) => left > 0 && fits(provider, behaviour, occasion),
      );
      if (fitting.length === 0) {
        return OK;
      }
      const drawn = plan.draw() * ALL;
      let share = 0;
      const rule = fitting.find(({ behaviour: { percent } }) => {
        if (percent === undefined) {
          return true;
        }
        share += percent;
        return drawn < share;
      });
      if (rule === undefined) {
        return OK;
      }
      rule.left -= 1;
      return rule.behaviour;
    },
  };
}

function fits(
  provider: StubProvider,
  behaviour: Behaviour,
  { kind, key, model, prompt }: CallDetails,
): boolean {
  const fallback: CallKind =
    ASYNCHRONOUS.has(provider) && OF_FILES.has(behaviour.mode) ? 'download' : 'submit';
  if (!(behaviour.on ?? [fallback]).includes(kind)) {
    return false;
  }
  if (behaviour.keys !== undefined && !behaviour.keys.includes(key ?? '')) {
    return false;
  }
  if (behaviour.models !== undefined && !behaviour.models.includes(model ?? '')) {
    return false;
  }
  return behaviour.prompt === undefined || (prompt ?? '').includes(behaviour.prompt);
}

function check(provider: StubProvider, { mode }: Behaviour): void {
  if (!STUB_MODES.includes(mode)) {
    throw new Error(`no such mode: ${String(mode)}; there are ${STUB_MODES.join(', ')}`);
  }
  if ((JOB_OUTCOMES as readonly string[]).includes(mode) && !ASYNCHRONOUS.has(provider)) {
    throw new Error(`${provider} has no jobs, so ${mode} makes no sense there`);
  }
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
