import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const TAKE_SWEEP_TURN: Statement = {
  name: 'take-sweep-turn',
  text: `
INSERT INTO sweep_turns AS s (name, due_at) VALUES ($1, now() + make_interval(secs => $2::float8 / 1000))
ON CONFLICT (name) DO UPDATE SET due_at = EXCLUDED.due_at WHERE s.due_at <= now()
RETURNING name`,
};

/** Takes the turn of a sweep that one worker does for all; true for one caller in `everyMs`. */
export async function takeSweepTurn(
  db: Pick<Database, 'run'>,
  { name, everyMs }: { readonly name: string; readonly everyMs: number },
): Promise<boolean> {
  return (await db.run(TAKE_SWEEP_TURN, [name, everyMs])).length > 0;
}
