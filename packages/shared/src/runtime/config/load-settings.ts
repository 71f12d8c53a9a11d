import type { Setting } from './setting.js';

/** Settings by the name of their environment variable. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table of settings. */
export type SettingValues<T extends SettingTable> = {
  readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never;
};

/** Every fault of a process' settings at once, one line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The settings are not right:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Reads a table of settings from the environment once and freezes it; throws ConfigError listing every fault. */
export function loadSettings<T extends SettingTable>(
  table: T,
  env: Readonly<Record<string, string | undefined>>,
): SettingValues<T> {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const given = env[name]?.trim();
    if (given === undefined || given === '') {
      const fallback = setting.fallback === undefined ? setting.needless?.(env) : setting.fallback;
      if (fallback === undefined && !setting.optional) {
        faults.push(`${name} is required`);
      }
      values[name] = fallback;
      continue;
    }
    try {
      values[name] = setting.parse(given);
    } catch (error) {
      faults.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (faults.length > 0) {
    throw new ConfigError(faults);
  }
  return Object.freeze(values) as SettingValues<T>;
}
