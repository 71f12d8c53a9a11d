import { Download } from 'lucide-react';
import { useState } from 'react';
import { buildUrl } from '../../../api/request.js';
import { useGet } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { ButtonAnchor } from '../../../ui/forms/button.js';
import { TasksLink } from '../../../ui/links.js';
import { ALL_MOVEMENTS, MovementFields, MovementTable, toMovementQuery } from '../../../ui/movement-table.js';
import { PartPager, usePlaces } from '../../../ui/pager.js';
import { Load } from '../../../ui/states.js';

/** Movements of money of an account, by kind and span, and as a file. */
export function Movements({ accountId: id }: { readonly accountId: string }) {
  const places = usePlaces();
  const [chosen, setChosen] = useState(ALL_MOVEMENTS);
  const filter = toMovementQuery(chosen);
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
      <div className="px-5 pb-4 sm:px-6">
        <MovementFields
          values={chosen}
          onChange={(change) => {
            setChosen(change);
            places.reset();
          }}
        />
      </div>
      <Load query={query}>
        {({ items, next }) => (
          <>
            <MovementTable
              of="operator"
              rows={items}
              isFiltered={chosen !== ALL_MOVEMENTS}
              none="Credit the account to let it begin."
              showTasks={(row, words) => <DayTasks account={id} at={row.created_at} words={words} />}
            />
            <PartPager places={places} next={next} />
          </>
        )}
      </Load>
    </Card>
  );
}

/** Tasks that a day's line charges for, which lead to those that completed after they were submitted on it. */
function DayTasks({ account, at, words }: Readonly<{ account: string; at: string; words: string }>) {
  const day = at.slice(0, 10);
  const to = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  return <TasksLink search={{ account, status: 'completed', from: day, to }}>{words}</TasksLink>;
}
