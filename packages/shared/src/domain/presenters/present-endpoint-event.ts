import { EVENTS, type EventType } from '../contract/index.js';
import { formatDollars } from '../money/index.js';

type Value = string | number | readonly unknown[] | { readonly [name: string]: Value } | null;

/** Event of an endpoint as its row has it. */
export interface StoredEvent {
  readonly type: EventType;
  readonly data: Readonly<Record<string, Value>>;
  readonly createdAt: Date;
}

const dollars = (micros: unknown): string => formatDollars(BigInt(micros as string));

const FORMS: Readonly<Record<string, (value: Value) => unknown>> = {
  money: dollars,
  time: (text) => new Date(text as string).toISOString(),
  reason: (reason) =>
    typeof reason === 'string' ? reason : describeCeiling(reason as Readonly<Record<string, Value>>),
};

/** Writes the body of an event, which is signed and sent. The fields stand in the order of `EVENTS`. */
export function presentEndpointEvent({ type, data, createdAt }: StoredEvent): string {
  const fields = Object.entries(EVENTS[type].data).flatMap(([name, form]) => {
    const value = data[name] ?? null;
    return value === null ? [] : [[name, FORMS[form.replace('?', '')]?.(value) ?? value]];
  });
  return JSON.stringify({ type, timestamp: createdAt.toISOString(), data: Object.fromEntries(fields) });
}

function describeCeiling({ percent, used, limit }: Readonly<Record<string, Value>>): string {
  const start =
    percent === 100
      ? 'the ceiling of the day is reached, calls wait'
      : `${percent} percent of the ceiling of the day are used`;
  return `${start}: ${dollars(used)} of ${dollars(limit)}`;
}
