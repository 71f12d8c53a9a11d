import type { WebhookTestView } from '@image-gateway/shared/webhook/schema';
import { Webhook } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../api/use-api.js';
import { StatusBadge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { Field } from '../../ui/forms/fields.js';
import { TaskLink } from '../../ui/links.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { Empty, Load } from '../../ui/states.js';
import { Named, Table } from '../../ui/table.js';
import { Endpoints } from './endpoints.js';
import { SentTable } from './sent-table.js';
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
            <Field
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
              {items.length > 0 && (
                <SentTable
                  caption="Deliveries"
                  title="Delivery"
                  rows={items}
                  renews={['webhooks']}
                  columns={[
                    {
                      title: 'Receiver',
                      cell: ({ url, task_id }) => (
                        <span className="grid gap-0.5">
                          <span className="break-all font-medium">{getHost(url)}</span>
                          <TaskLink of="owner" id={task_id} />
                        </span>
                      ),
                    },
                    {
                      title: 'Response',
                      from: 'md',
                      cell: ({ last_status, last_error }) => describeResponse(last_status, last_error),
                    },
                    { title: 'Attempts', from: 'lg', figure: ({ attempt }) => attempt },
                  ]}
                />
              )}
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

const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const describeResponse = (status: number | null, error: string | null, more = '') => (
  <span className="figures">{status === null ? (error ?? '–') : `HTTP ${status}${more}`}</span>
);

/** Test events of the last day, as the log of deliveries shows them. */
function TestTable({ tests }: { readonly tests: readonly WebhookTestView[] }) {
  return (
    <Table
      caption="Test events"
      rows={tests}
      getKey={({ id }) => id}
      columns={[
        { title: 'Receiver of a test event', cell: ({ id, url }) => <Named name={url} id={id} /> },
        {
          title: 'Response',
          cell: ({ status, error, ms }) =>
            describeResponse(status, error, ms === null ? '' : ` after ${ms} ms`),
        },
        { title: 'Sent', from: 'md', when: ({ created_at }) => created_at },
        { title: 'State', from: 'sm', align: 'right', cell: ({ state }) => <StatusBadge status={state} /> },
      ]}
    />
  );
}
