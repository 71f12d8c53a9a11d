import {
  type Behaviour,
  JOB_OUTCOMES,
  STUB_MODES,
  STUB_PROVIDERS,
  type StubMode,
  type StubProvider,
} from './behaviour.js';
import type { StubCall } from './call.js';

/** Details of a call by which its behaviour is chosen. */
type CallDetails = Pick<StubCall, 'kind' | 'key' | 'model' | 'prompt'>;

/** How every provider behaves just now. */
export type Behaviours = ReturnType<typeof createBehaviours>;

interface Plan {
  readonly rules: { readonly behaviour: Behaviour; left: number }[];
  readonly draw: () => number;
}

const ASYNCHRONOUS: ReadonlySet<StubProvider> = new Set(['fal', 'replicate', 'comfyui', 'task']);
const OF_FILES: ReadonlySet<StubMode> = new Set(['truncated', 'drip', 'huge']);
const OK: Behaviour = { mode: 'ok' };
const ALL = 100;

/** Makes providers that all behave well. */
export function createBehaviours() {
  let plans = new Map<StubProvider, Plan>();
  return {
    /** Replaces what was said about the provider before; throws Error for what makes no sense. */
    set: (provider: StubProvider, behaviours: readonly Behaviour[], seed = 1): void => {
      const rules = behaviours.map((behaviour) => {
        check(provider, behaviour);
        return { behaviour, left: behaviour.times ?? Number.POSITIVE_INFINITY };
      });
      plans.set(provider, { rules, draw: createRandom(seed) });
    },
    get: (): Readonly<Record<string, readonly Behaviour[]>> =>
      Object.fromEntries(
        STUB_PROVIDERS.map((name) => [name, plans.get(name)?.rules.map(({ behaviour }) => behaviour) ?? []]),
      ),
    reset: (): void => {
      plans = new Map();
    },
    /** How this call is treated. Draws a number when some behaviour is for a share of the calls. */
    choose: (provider: StubProvider, call: CallDetails): Behaviour => {
      const { rules = [], draw = () => 0 } = plans.get(provider) ?? {};
      const fitting = rules.filter(({ behaviour, left }) => left > 0 && fits(provider, behaviour, call));
      const drawn = fitting.length === 0 ? 0 : draw() * ALL;
      let share = 0;
      const rule = fitting.find(({ behaviour: { percent = ALL } }) => {
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

function fits(provider: StubProvider, behaviour: Behaviour, call: CallDetails): boolean {
  const isFile = ASYNCHRONOUS.has(provider) && OF_FILES.has(behaviour.mode);
  const { on = [isFile ? 'download' : 'submit'], keys, models, prompt = '' } = behaviour;
  return (
    on.includes(call.kind) &&
    (keys?.includes(call.key ?? '') ?? true) &&
    (models?.includes(call.model ?? '') ?? true) &&
    (call.prompt ?? '').includes(prompt)
  );
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
