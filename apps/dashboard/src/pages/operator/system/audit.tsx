import type { AuditItem } from '@image-gateway/shared/contract';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-get.js';
import { Card } from '../../../ui/card.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { Page } from '../../../ui/page.js';
import { Pager } from '../../../ui/pager.js';
import { Empty } from '../../../ui/states/empty.js';
import { Load } from '../../../ui/states/load.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

/** Changes made by users and operators. */
export function Audit() {
  const [page, setPage] = useState(1);
  const [subject, setSubject] = useState('');
  const query = useGet({ path: '/operator/audit', query: { page, per_page: 50, subject } });
  return (
    <Page title="Audit log" lead="Every change that was made by hand: who, what, when.">
      <div className="max-w-md">
        <TextField
          label="Only of this id"
          placeholder="acc_…, gen_…, key_…"
          value={subject}
          onChange={(event) => {
            setSubject(event.target.value.trim());
            setPage(1);
          }}
        />
      </div>
      <Card flush className="pt-3">
        <Load query={query} rows={6}>
          {({ items, pagination }) => (
            <>
              {items.length === 0 ? (
                <Empty icon={ScrollText} title="No entries">
                  Nothing was changed by hand{subject !== '' && ' on this'}.
                </Empty>
              ) : (
                <Table
                  caption="Audit log"
                  rows={items}
                  getKey={({ id }) => id}
                  columns={[
                    {
                      title: 'What',
                      cell: ({ action, actor, subject: id, detail }) => (
                        <>
                          <span className="font-medium">{action}</span>
                          <span className="block break-all font-mono text-muted text-xs">{id}</span>
                          <span className="block text-muted text-xs [overflow-wrap:anywhere]">
                            {describeDetail(detail)}
                          </span>
                          <span className="block text-muted text-xs [overflow-wrap:anywhere] sm:hidden">
                            by {actor}
                          </span>
                        </>
                      ),
                    },
                    {
                      title: 'Who',
                      from: 'sm',
                      cell: ({ actor }) => <span className="[overflow-wrap:anywhere]">{actor}</span>,
                    },
                    { title: 'When', align: 'right', cell: ({ created_at }) => <Time iso={created_at} /> },
                  ]}
                />
              )}
              <Pager pagination={pagination} onPage={setPage} />
            </>
          )}
        </Load>
      </Card>
    </Page>
  );
}

function describeDetail(detail: AuditItem['detail']): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' · ');
}
