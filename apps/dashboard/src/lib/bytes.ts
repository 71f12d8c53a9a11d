/** Writes a number of bytes as people read it, such as `1.2 MB`. */
export function bytes(count: number): string {
  if (count < 1000) {
    return `${count} B`;
  }
  return count < 1_000_000 ? `${Math.round(count / 1000)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
