import type { MovementItem, MovementKind } from '@image-gateway/shared/account/schema';
import { Coins, Download } from 'lucide-react';
import { useState } from 'react';
import { buildUrl } from '../../../api/request.js';
import { useGet } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { ButtonAnchor } from '../../../ui/forms/button.js';
import { Fields } from '../../../ui/forms/fields.js';
import { TaskLink, TasksLink } from '../../../ui/links.js';
import { PartPager, usePlaces } from '../../../ui/pager.js';
import { Empty, Load } from '../../../ui/states.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

const KINDS: Readonly<Record<MovementKind, string>> = {
  topup: 'Top-up',
  capture: 'Charges',
  refund: 'Refund',
  adjust: 'Adjustment',
};

/** Movements of money of an account, by kind and span, and as a file. */
export function Movements({ accountId: id }: { readonly accountId: string }) {
  const places = usePlaces();
  const [chosen, setChosen] = useState({ kind: '', from: '', to: '' });
  const { kind, from, to } = chosen;
  const filter = {
    kind: (kind || undefined) as MovementKind | undefined,
    from: from || undefined,
    to: to || undefined,
  };
  const path = '/operator/accounts/:id/movements';
  const query = useGet({ path, params: { id }, query: { ...filter, before: places.before } });
  return (
    <Card
      title="Movements of money"
      note="Newest first, with the balance after each. The charges of a UTC day are one line, the last of its day."
      action={
        <ButtonAnchor small href={`/dashboard/api${buildUrl(`${path}.csv`, { id }, filter)}`} download>
          <Download aria-hidden />
          Export CSV
        </ButtonAnchor>
      }
      flush
    >
      <div className="grid grid-cols-2 gap-4 px-5 pb-4 sm:grid-cols-3 sm:px-6">
        <Fields
          fields={[
            { name: 'kind', label: 'Kind', options: [['', 'All'], ...Object.entries(KINDS)] },
            { name: 'from', label: 'From (UTC)', type: 'date' },
            { name: 'to', label: 'To (UTC)', type: 'date' },
          ]}
          values={chosen}
          onChange={(change) => {
            setChosen({ ...chosen, ...change });
            places.reset();
          }}
        />
      </div>
      <Load query={query}>
        {({ items, next }) => (
          <>
            <Table
              caption="Movements of money"
              rows={items}
              getKey={(item) => item.id}
              empty={<NoMovements isFiltered={kind + from + to !== ''} />}
              columns={[
                { title: 'What', cell: (item) => <What {...item} account={id} /> },
                { title: 'When', from: 'sm', cell: (item) => <When {...item} /> },
                { title: 'Amount', amount: ({ amount }) => amount },
                { title: 'Balance', figure: ({ balance }) => balance },
              ]}
            />
            <PartPager places={places} next={next} />
          </>
        )}
      </Load>
    </Card>
  );
}

/** Kind of a movement, its task, and what is said of it. */
function What(item: MovementItem & { readonly account: string }) {
  const { kind, task_id, tasks, reference, reason } = item;
  return (
    <>
      <span className="font-medium">{KINDS[kind]}</span>
      {task_id !== null && <TaskLink of="operator" id={task_id} />}
      <span className="block text-muted text-xs [overflow-wrap:anywhere]">
        {tasks === null ? (
          [reason, nameReference(reference)].filter(Boolean).join(' · ')
        ) : (
          <DayTasks {...item} />
        )}
      </span>
      <span className="block text-muted text-xs sm:hidden">
        <When {...item} />
      </span>
    </>
  );
}

/** The form makes a random reference where none is given, which says nothing to people. */
const nameReference = (reference: string | null): string | null =>
  reference?.startsWith('dashboard:') ? null : reference;

/** Tasks that a day's line charges for, which lead to those that completed after they were submitted on it. */
function DayTasks({ account, tasks, created_at }: MovementItem & { readonly account: string }) {
  const day = created_at.slice(0, 10);
  const to = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  return (
    <TasksLink search={{ account, status: 'completed', from: day, to }}>
      {tasks?.toLocaleString('en')} {tasks === 1 ? 'task' : 'tasks'}
    </TasksLink>
  );
}

function When({ tasks, created_at }: MovementItem) {
  return tasks === null ? <Time iso={created_at} /> : <>{created_at.slice(0, 10)} (UTC)</>;
}

function NoMovements({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty icon={Coins} title="No movement fits">
      Choose another kind or span above.
    </Empty>
  ) : (
    <Empty icon={Coins} title="No money has moved">
      Credit the account to let it begin.
    </Empty>
  );
}
