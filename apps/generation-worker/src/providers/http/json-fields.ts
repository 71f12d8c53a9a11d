/** Object of a JSON response with unknown fields. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns a JSON object; null for any other value. */
export function asRecord(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null;
}

/** Returns the objects of a JSON array; none for any other value. */
export function asRecords(value: unknown): readonly JsonRecord[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map(asRecord).filter((one) => one !== null);
}

/** Returns a JSON string; the empty string for any other value. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
