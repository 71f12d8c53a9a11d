// A process of its own that attacks an API until its parent says stop, so that it measures nothing and disturbs no measurement.
import { type AttackPlan, runAttack } from './attack-kinds.js';

const stop = new AbortController();
process.on('message', (said: AttackPlan | 'stop') => {
  if (said === 'stop') {
    stop.abort();
    return;
  }
  runAttack(said, stop.signal).then(
    (answers) => process.send?.({ answers }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
