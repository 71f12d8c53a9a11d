/** Invariant of prisma/invariants.sql. */
export interface Invariant {
  /** Such as `I3 live: held money equals the open holds`. */
  readonly name: string;
  /** Holds at every moment, not only at rest. */
  readonly isLive: boolean;
  /** Column by which it can be checked range by range, because it compares rows of one account or task; null: as a whole. */
  readonly by: 'account' | 'task' | null;
  /** Query for the offending rows. */
  readonly sql: string;
}

/** Parses prisma/invariants.sql: an invariant begins with `-- name:`, which `-- by: account` or `-- by: task` may follow. */
export function parseInvariants(text: string): Invariant[] {
  return text
    .split(/^-- name: /m)
    .slice(1)
    .map((part) => {
      const [name = '', ...lines] = part.split('\n');
      const [, by] = /^-- by: (account|task)$/m.exec(part) ?? [];
      return {
        name: name.trim(),
        isLive: /^\S+ live:/.test(name),
        by: by === 'account' || by === 'task' ? by : null,
        sql: lines
          .filter((line) => !line.startsWith('--'))
          .join('\n')
          .trim()
          .replace(/;$/, ''),
      };
    });
}
