import type { SystemView } from '@image-gateway/shared/system/schema';
import { Link } from '@tanstack/react-router';
import { useGet } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { ButtonLink } from '../../../ui/forms/button.js';
import { AccountLink, TasksLink } from '../../../ui/links.js';
import { Page } from '../../../ui/page.js';
import { Load, Notice } from '../../../ui/states.js';
import { Stat, Stats } from '../../../ui/stats.js';
import { TableCard } from '../../../ui/table.js';
import { Needs } from '../needs/needs.js';
import { QueueTable } from '../queues/queue-table.js';

/** The first page of an operator: how the whole gateway does. */
export function System() {
  const query = useGet({ path: '/operator/system' }, { everyMs: 10_000 });
  const queues = useGet({ path: '/operator/queues' }, { everyMs: 5_000 });
  return (
    <Page title="System" lead="The whole gateway at a glance. Days are in UTC.">
      <Needs shows="all" />
      <Load query={query} rows={6}>
        {(view) => <Content view={view} />}
      </Load>
      <CreditRequests />
      <Card title="Queues" flush>
        <Load query={queues}>{(items) => <QueueTable queues={items} />}</Load>
      </Card>
    </Page>
  );
}

function Content({ view }: { readonly view: SystemView }) {
  const number = (value: number): string => value.toLocaleString('en');
  const today = new Date().toISOString().slice(0, 10);
  return (
    <>
      {view.stuck_tasks > 0 && (
        <Notice
          kind="bad"
          action={
            <ButtonLink to="/operator/tasks" search={{ show: 'stuck' }} small>
              Look at them
            </ButtonLink>
          }
        >
          {view.stuck_tasks === 1 ? 'One task is stuck.' : `${number(view.stuck_tasks)} tasks are stuck.`}
        </Notice>
      )}
      {view.signups_without_credit_today > 0 && (
        <Notice kind="bad">
          {number(view.signups_without_credit_today)} accounts signed up today without a credit: those of the
          day (SIGNUP_CREDIT_LIMIT), or of their network, were used up.
        </Notice>
      )}
      {view.unpaid_files_percent >= 80 && (
        <Notice kind="bad">
          Accounts that never had a payment use {view.unpaid_files_percent}% of what they may store together
          (UNPAID_FILES_BYTES). What is over it is refused.
        </Notice>
      )}
      <Stats label="Today">
        <Stat
          name="Charged today"
          value={view.revenue_today}
          note={
            <TasksLink search={{ status: 'completed', from: today }}>
              {number(view.completed_today)} completed
            </TasksLink>
          }
        />
        <Stat
          name="Failed today"
          value={
            <TasksLink search={{ status: 'failed', from: today }}>{number(view.failed_today)}</TasksLink>
          }
          note="tasks, at no cost; some seconds behind"
        />
        <Stat
          name="Open tasks"
          value={<TasksLink search={{ show: 'open' }}>{number(view.open_tasks)}</TasksLink>}
          note={<TasksLink search={{ show: 'stuck' }}>{number(view.stuck_tasks)} stuck</TasksLink>}
        />
        <Stat
          name="Webhooks given up"
          value={number(view.webhooks_failed_today)}
          note="today, some seconds behind"
        />
      </Stats>
      <Stats label="Accounts" columns={3}>
        <Stat
          name="Accounts"
          value={
            <Link to="/operator/accounts" className="underline-offset-4 hover:underline">
              {number(view.accounts)}
            </Link>
          }
          note={`${number(view.suspended)} suspended`}
        />
        <Stat name="Balances" value={view.balances} note="of all accounts" />
        <Stat name="Held" value={view.held} note="for open tasks" />
      </Stats>
    </>
  );
}

/** Owners who ask for credit and got none yet. */
function CreditRequests() {
  const query = useGet({ path: '/operator/credit-requests' }, { everyMs: 30_000 });
  if (!query.data || query.data.length === 0) {
    return null;
  }
  return (
    <TableCard
      title="Requests for credit"
      rows={query.data}
      getKey={({ account_id }) => account_id}
      columns={[
        {
          title: 'Account',
          cell: ({ account_id, email, note }) => (
            <>
              <AccountLink id={account_id}>{email}</AccountLink>
              {note !== null && (
                <span className="block text-muted text-xs [overflow-wrap:anywhere]">{note}</span>
              )}
            </>
          ),
        },
        { title: 'When', from: 'sm', when: ({ created_at }) => created_at },
        { title: 'Amount', figure: ({ amount }) => amount ?? 'any' },
      ]}
    />
  );
}
