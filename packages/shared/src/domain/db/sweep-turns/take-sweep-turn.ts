import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const TAKE_SWEEP_TURN: Statement = {
  name: 'take-sweep-turn',
  text: `
INSERT INTO sweep_turns AS s (name, due_at) VALUES ($1, now() + make_interval(secs => $2::float8 / 1000))
ON CONFLICT (name) DO UPDATE SET due_at = EXCLUDED.due_at WHERE s.due_at <= now()
RETURNING name`,
};

const ADD_UP_HOURS: Statement = { name: 'add-up-hours', text: 'SELECT add_up_hours()::int AS entries' };

/** Takes the turn of a sweep that one worker does for all; true for one caller in `everyMs`. */
export async function takeSweepTurn(
  db: Pick<Database, 'run'>,
  { name, everyMs }: { readonly name: string; readonly everyMs: number },
): Promise<boolean> {
  return (await db.run(TAKE_SWEEP_TURN, [name, everyMs])).length > 0;
}

/** Rows of the journal that `add_up_hours` adds at a time. */
const MAX_ENTRIES = 1_000;

/**
 * Adds all that statements noted to the hours of operators, part by part; returns false, since nothing is left. One worker does
 * it for all.
 */
export async function addUpHours(
  db: Pick<Database, 'run'>,
  { everyMs, noteProgress }: { readonly everyMs: number; readonly noteProgress: () => void },
): Promise<boolean> {
  if (!(await takeSweepTurn(db, { name: 'add-up-hours', everyMs }))) {
    return false;
  }
  for (;;) {
    const [added] = await db.run<{ readonly entries: number }>(ADD_UP_HOURS, []);
    noteProgress();
    if (added?.entries !== MAX_ENTRIES) {
      return false;
    }
  }
}
