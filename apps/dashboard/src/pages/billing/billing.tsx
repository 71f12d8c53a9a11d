import { Download } from 'lucide-react';
import { useState } from 'react';
import { buildUrl } from '../../api/request.js';
import { useGet } from '../../api/use-api.js';
import { Card } from '../../ui/card.js';
import { ButtonAnchor } from '../../ui/forms/button.js';
import { ALL_MOVEMENTS, MovementFields, MovementTable, toMovementQuery } from '../../ui/movement-table.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { Load } from '../../ui/states.js';
import { Stat, Stats } from '../../ui/stats.js';

/** Money of the account, and what moved it, by kind and span, and as a file. */
export function Billing() {
  const [chosen, setChosen] = useState(ALL_MOVEMENTS);
  const [page, setPage] = useState(1);
  const filter = toMovementQuery(chosen);
  const query = useGet({ path: '/statement', query: { ...filter, page } });
  return (
    <Page
      title="Billing"
      lead="Your balance, and each movement of money that led to it."
      actions={
        <ButtonAnchor href={`/dashboard/api${buildUrl('/statement.csv', {}, filter)}`} download>
          <Download aria-hidden />
          Export CSV
        </ButtonAnchor>
      }
    >
      <Load query={query} rows={8}>
        {({ balance, held, available, items, pagination }) => (
          <>
            <Stats label="Money" columns={3}>
              <Stat name="Balance" value={balance} />
              <Stat name="Held" value={held} note="for open tasks" />
              <Stat name="Available" value={available} />
            </Stats>
            <Card
              title="Statement"
              note="Newest first, with the balance after each line. The charges of a UTC day are one line, the last of its day."
              flush
            >
              <div className="px-5 pb-4 sm:px-6">
                <MovementFields
                  values={chosen}
                  onChange={(change) => {
                    setChosen(change);
                    setPage(1);
                  }}
                />
              </div>
              <MovementTable
                of="owner"
                rows={items}
                isFiltered={chosen !== ALL_MOVEMENTS}
                none="Ask the operator of this gateway for credit on the page Overview."
              />
              <Pager pagination={pagination} onPage={setPage} />
            </Card>
          </>
        )}
      </Load>
    </Page>
  );
}
