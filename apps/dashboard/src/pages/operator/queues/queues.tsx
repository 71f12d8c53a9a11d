import { useGet } from '../../../api/use-get.js';
import { Card } from '../../../ui/card.js';
import { Page } from '../../../ui/page.js';
import { Load } from '../../../ui/states/load.js';
import { WorkerTable } from '../providers/worker-table.js';
import { HintList } from './hint-list.js';
import { QueueTable } from './queue-table.js';

/** Depth of the queues and the workers that empty them. */
export function Queues() {
  const queues = useGet({ path: '/operator/queues' }, { everyMs: 3_000 });
  const workers = useGet({ path: '/operator/providers' }, { everyMs: 10_000 });
  return (
    <Page
      title="Queues"
      lead="The database says what is due; Redis only holds hints, and losing them costs seconds, never a task."
    >
      <Card flush className="pt-3">
        <Load query={queues}>{(items) => <QueueTable queues={items} />}</Load>
      </Card>
      <Card title="Workers" note="Processes that reported in the last hour." flush>
        <Load query={workers}>{({ workers: items }) => <WorkerTable workers={items} />}</Load>
      </Card>
      <HintList />
    </Page>
  );
}
