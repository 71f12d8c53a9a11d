/** Rule of prisma/invariants.sql. */
export interface Invariant {
  /** Such as `I3 live: held money equals the open holds`. */
  readonly name: string;
  /** Holds at every moment, not only at rest. */
  readonly isLive: boolean;
  /** The rule compares rows of one account or of one task only, so that it may be checked range by range; null: as a whole. */
  readonly by: 'account' | 'task' | null;
  /** Returns the offending rows. */
  readonly sql: string;
}

/** Parses the text of prisma/invariants.sql: each rule begins with `-- name:`, and may say `-- by: account` or `-- by: task` below it. */
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
