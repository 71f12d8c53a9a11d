/** Ids of a span, of a `traceparent` header. */
export interface ParsedTraceparent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Parses a `traceparent` of version 00 (W3C Trace Context); null for anything else, which then counts as absent. */
export function parseTraceparent(text: string | null | undefined): ParsedTraceparent | null {
  const [, traceId, spanId, flags] = PATTERN.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) {
    return null;
  }
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 };
}
