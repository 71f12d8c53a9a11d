import { Webhook } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../api/use-get.js';
import { Card } from '../../ui/card.js';
import { SelectField } from '../../ui/forms/select-field.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { Empty } from '../../ui/states/empty.js';
import { Load } from '../../ui/states/load.js';
import { DeliveryTable } from './delivery-table.js';
import { Endpoints } from './endpoints.js';
import { TestTable } from './test-table.js';
import { TestWebhook } from './test-webhook.js';
import { WebhookSecret } from './webhook-secret.js';

const STATES = [
  ['', 'All'],
  ['pending', 'Waiting'],
  ['sending', 'Being sent'],
  ['delivered', 'Delivered'],
  ['failed', 'Given up'],
] as const;
type Choice = (typeof STATES)[number][0];

/** Webhooks of the account: the secret, a test event, and the deliveries. */
export function Webhooks() {
  const [page, setPage] = useState(1);
  const [state, setState] = useState<Choice>('');
  const query = useGet(
    { path: '/webhooks', query: { page, ...(state !== '' && { state }) } },
    { everyMs: 5_000 },
  );
  const sent = useGet({ path: '/webhooks/tests' }, { everyMs: 5_000 }).data ?? [];
  const tests = page === 1 ? sent.filter((test) => state === '' || test.state === state) : [];
  return (
    <Page
      title="Webhooks"
      lead="When a task with a webhook_url ends, the gateway sends a signed event there (Standard Webhooks)."
    >
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <WebhookSecret />
        <TestWebhook />
      </div>
      <Card
        title="Deliveries"
        flush
        action={
          <div className="w-40">
            <SelectField
              label={<span className="sr-only">State of the deliveries</span>}
              value={state}
              options={STATES}
              onChange={(next) => {
                setState(next);
                setPage(1);
              }}
            />
          </div>
        }
      >
        <Load query={query}>
          {({ items, pagination }) => (
            <>
              {tests.length > 0 && <TestTable tests={tests} />}
              {items.length > 0 && <DeliveryTable deliveries={items} />}
              {items.length === 0 && tests.length === 0 && (
                <Empty
                  icon={Webhook}
                  title={state === '' ? 'No deliveries yet' : 'No delivery is in this state'}
                >
                  Add a webhook_url to a request, and its delivery appears here.
                </Empty>
              )}
              <Pager pagination={pagination} onPage={setPage} />
            </>
          )}
        </Load>
      </Card>
      <Endpoints of="owner" />
    </Page>
  );
}
