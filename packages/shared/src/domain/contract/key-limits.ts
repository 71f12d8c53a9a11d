import { defineLimits, type LimitsBody, type LimitsView, listLimits } from './limit-table.js';

/** Every limit of an API key. Its columns are those of `api_keys`; a cap is named by its window. */
export const KEY_LIMITS = defineLimits({
  models: {
    kind: 'models',
    columns: ['models'],
    option: 'models',
    help: 'models that the key may use, comma-separated; empty: all',
    label: 'Models',
    hint: 'None chosen: all models.',
    summary: 'models: ',
    description: 'Models that the key may use. Only when limited.',
  },
  scopes: {
    kind: 'scopes',
    columns: ['scopes'],
    option: 'scopes',
    help: 'of generate, read and delete, comma-separated; empty: generate,read',
    label: 'Scopes',
    summary: 'scopes: ',
  },
  allowed_cidrs: {
    kind: 'networks',
    columns: ['allowed_cidrs'],
    option: 'cidrs',
    help: 'networks that the key may be used from, comma-separated; empty: all',
    label: 'Networks',
    hint: 'Addresses or networks such as 192.0.2.0/24, one on each line. Empty: from anywhere.',
    summary: 'networks: ',
    description: 'Networks that it may be used from. Only when limited.',
  },
  cap_day: {
    kind: 'cap',
    columns: ['cap_day_micros'],
    option: 'cap-day',
    help: 'most that its tasks of a day in UTC may cost; empty: no cap',
    label: 'Cap a day, in $',
    summary: 'today',
  },
  cap_month: {
    kind: 'cap',
    columns: ['cap_month_micros'],
    option: 'cap-month',
    help: 'most that its tasks of a month in UTC may cost; empty: no cap',
    label: 'Cap a month, in $',
    summary: 'this month',
  },
  cap_total: {
    kind: 'cap',
    columns: ['cap_total_micros'],
    option: 'cap-total',
    help: 'most that all its tasks may cost; empty: no cap',
    label: 'Cap in total, in $',
    summary: 'in total',
  },
  cap_day_per: {
    kind: 'valueCap',
    columns: ['cap_per_key', 'cap_per_micros'],
    option: 'cap-day-per',
    help: 'most that its tasks of a day in UTC may cost for each value of a key of metadata, such as user=0.50; empty: no cap',
    label: 'Cap a day for each value of metadata',
    hint: 'A key of metadata and dollars, such as user=0.50: each user may spend so much a day, and requests without one are refused.',
  },
  join_equal: {
    kind: 'switch',
    columns: ['join_equal'],
    option: 'join-equal',
    help: 'on: equal requests to /openai share the task under way, for relays that drop marks of repetitions; empty: off',
    label: 'Equal requests',
    hint: 'For relays such as LiteLLM, which hide from us that a client repeats its request.',
    summary: 'equal requests share a task',
  },
});

type KeyLimits = typeof KEY_LIMITS;

/** Name of a limit of a key. */
export type KeyLimitName = keyof KeyLimits;

type CapName = {
  [Name in KeyLimitName]: KeyLimits[Name]['kind'] extends 'cap' | 'valueCap' ? Name : never;
}[KeyLimitName];

/** Window of a cap: a day, a month in UTC, the life of the key, or the day of a value of metadata. */
export type CapWindow = CapName extends `cap_${infer Window}` ? Window : never;

type WholeCapWindow = Exclude<CapWindow, 'day_per'>;

/** Windows of the caps that a key has for all its tasks together. */
export const KEY_CAPS = listLimits(KEY_LIMITS).flatMap(([name, limit]) =>
  limit.kind === 'cap' ? [[name.replace('cap_', '') as WholeCapWindow, limit] as const] : [],
);

/** Cap of a key and how much of it is used, in dollars. */
export interface KeyCapView {
  readonly limit: string;
  readonly used: string;
}

/** Limits of a key; empty lists and absent caps limit nothing. */
export type KeyLimitsView = Omit<LimitsView<KeyLimits>, CapName> & {
  readonly caps: Readonly<Partial<Record<WholeCapWindow, KeyCapView>>> & {
    /** Daily cap that each value of a key of metadata has for itself. */
    readonly day_per?: { readonly key: string; readonly limit: string };
  };
};

/** Limits of a key to change. */
export type KeyLimitsBody = LimitsBody<KeyLimits>;
