/** How a dependency does. */
export type Condition = 'ok' | 'degraded';

/** What the readiness of the process depends on. */
export interface ReadinessState {
  readonly draining: boolean;
  readonly postgres: Condition;
  readonly redis: Condition;
  readonly storage: Condition;
}

/** Watches the dependencies. */
export interface Readiness {
  /** Answers within a second, whatever hangs. */
  readonly look: () => Promise<ReadinessState>;
}

type Ping = () => Promise<unknown>;

/** How long a look may take; an answer of the same kind is believed for as long as `BELIEVED_MS`. */
const PATIENCE_MS = 700;
const BELIEVED_MS = 250;

/** Makes the watch over the dependencies: each is asked with a short time-out, and by one question at a time. */
export function createReadiness(options: {
  readonly isDraining: () => boolean;
  readonly postgres: Ping;
  readonly redis: Ping;
  readonly storage: Ping;
}): Readiness {
  const postgres = watch(options.postgres);
  const redis = watch(options.redis);
  const storage = watch(options.storage);
  return {
    look: async () => {
      const [p, r, s] = await Promise.all([postgres(), redis(), storage()]);
      return { draining: options.isDraining(), postgres: p, redis: r, storage: s };
    },
  };
}

function watch(ping: Ping): () => Promise<Condition> {
  let last: { readonly condition: Condition; readonly at: number } | undefined;
  let asking: Promise<Condition> | undefined;

  const ask = async (): Promise<Condition> => {
    const condition = await ping().then(
      () => 'ok' as const,
      () => 'degraded' as const,
    );
    last = { condition, at: performance.now() };
    asking = undefined;
    return condition;
  };

  return () => {
    if (last && performance.now() - last.at < BELIEVED_MS) return Promise.resolve(last.condition);
    asking ??= ask();
    return within(PATIENCE_MS, asking);
  };
}

async function within(ms: number, answer: Promise<Condition>): Promise<Condition> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Condition>((resolve) => {
    timer = setTimeout(() => resolve('degraded'), ms);
  });
  const condition = await Promise.race([answer, late]);
  clearTimeout(timer);
  return condition;
}
