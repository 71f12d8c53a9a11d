import { asRecord } from './record-of.js';

/** The objects in a list of a JSON answer, whatever is in them; nothing for anything that is no list. */
export function asRecords(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map((one) => asRecord(one)).filter((one) => one !== null);
}
