import type { WholeTask } from '@image-gateway/shared/task/schema';
import { useParams } from '@tanstack/react-router';
import { useGet } from '../../../api/use-api.js';
import { formatMoney } from '../../../lib/figures.js';
import { StatusBadge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Detail } from '../../../ui/detail.js';
import { CopyButton } from '../../../ui/forms/copy-button.js';
import { AccountLink } from '../../../ui/links.js';
import { Page } from '../../../ui/page.js';
import { Load, UnknownId } from '../../../ui/states.js';
import { Named, TableCard } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';
import { TaskActions } from './task-actions.js';

/** Any task as the operator sees it: its state, its calls and its money, without what the customer wrote. */
export function OperatorTask() {
  const { id = '' } = useParams({ strict: false });
  const query = useGet({ path: '/operator/tasks/:id', params: { id } }, { everyMs: 5_000 });
  return (
    <Page
      title="Task"
      lead={<span className="break-all font-mono text-sm">{id}</span>}
      actions={
        <>
          <CopyButton text={id} label="Copy id" />
          {query.data && <TaskActions {...query.data} isRefunded={query.data.refunded !== null} />}
        </>
      }
    >
      <Load query={query} rows={8} missing={<UnknownId of="task" />}>
        {(task) => <Content task={task} />}
      </Load>
    </Page>
  );
}

function Content({ task }: { readonly task: WholeTask }) {
  return (
    <>
      <Card title="State" action={<StatusBadge status={task.status} />}>
        <dl>
          <Detail name="Account">
            <AccountLink id={task.account_id}>{task.email}</AccountLink>
            <span className="block break-all font-mono text-muted text-xs">{task.account_id}</span>
          </Detail>
          <Detail name="Model">{task.model}</Detail>
          <Detail name="Images">{`${task.stored} of ${task.asked} stored`}</Detail>
          <Detail name="Money">{describeMoney(task)}</Detail>
          <Detail name="Phase">{`${task.phase}, attempt ${task.attempt}, ${task.tries} tries used`}</Detail>
          <Detail name="Created">
            <Time iso={task.created_at} full />
          </Detail>
          <Detail name={task.completed_at === null ? 'Deadline' : 'Ended'}>
            <Time iso={task.completed_at ?? task.deadline_at} full />
          </Detail>
          {task.is_canceling && (
            <Detail name="Cancellation">
              Asked for: no call starts any more. It ends with its open calls, whose images are charged.
            </Detail>
          )}
          {task.error !== null && <Detail name="Reason for the owner">{task.error}</Detail>}
          {task.worker !== null && <Detail name="Worker">{task.worker}</Detail>}
          <Detail name="Request id">
            <span className="font-mono text-[0.8125rem]">{task.request_id}</span>
          </Detail>
        </dl>
      </Card>
      <TableCard
        title="Provider calls"
        rows={task.provider_calls}
        getKey={({ id }) => id}
        empty={<p className="px-5 pb-5 text-muted text-sm sm:px-6">No provider was called.</p>}
        columns={[
          { title: 'Provider', cell: ({ provider, model }) => <Named name={provider} note={model} /> },
          { title: 'Images', align: 'right', from: 'sm', cell: ({ images_asked }) => images_asked },
          {
            title: 'Outcome',
            cell: ({ state, detail }) => (
              <span className="[overflow-wrap:anywhere]">{[state, detail].filter(Boolean).join(': ')}</span>
            ),
          },
          {
            title: 'For its support',
            from: 'lg',
            cell: ({ provider_request_id }) => (
              <span className="break-all font-mono text-xs">{provider_request_id ?? '–'}</span>
            ),
          },
          { title: 'When', from: 'md', when: ({ created_at }) => created_at },
          { title: 'Cost', figure: ({ cost }) => cost },
        ]}
      />
      {task.status === 'completed' && task.outputs.length > 0 && (
        <Card title="Images" note="They are the customer's: open one only where the case needs it.">
          <ul className="grid gap-2 text-sm">
            {task.outputs.map(({ index, url, content_type, bytes, width, height }) => (
              <li key={index} className="figures flex flex-wrap gap-x-3">
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  className="font-medium underline underline-offset-4"
                >
                  Image {index + 1}
                </a>
                <span className="text-muted">
                  {width} × {height}, {content_type}, {Math.ceil(bytes / 1_000).toLocaleString('en')} kB
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {task.ledger.length > 0 && (
        <Card title="Ledger">
          <ul className="grid gap-2 text-sm">
            {task.ledger.map(({ id, kind, amount, reason }) => (
              <li key={id} className="figures flex flex-wrap gap-x-3">
                <span className="font-medium">{kind}</span>
                <span>{formatMoney(amount)}</span>
                <span className="text-muted">{reason}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

/** Says what was charged, held and given back. */
const describeMoney = ({ cost, hold, refunded }: WholeTask): string =>
  refunded === null
    ? `${cost} charged, ${hold} held`
    : `${cost} charged, ${refunded === cost ? 'all' : refunded} of it refunded`;
