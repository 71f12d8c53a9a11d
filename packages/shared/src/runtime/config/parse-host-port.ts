/** Parses an entry of `OUTBOUND_ALLOW`: an exact `host:port` (IPv6 in brackets), in lower case. */
export function parseHostPort(text: string): string {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:/\s]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2] ?? 0);
  if (!match || port < 1 || port > 65_535) {
    throw new Error('must be a comma-separated list of host:port');
  }
  return `${match[1]}:${port}`.toLowerCase();
}
