import type { AuditAuthors, AuditItem } from '@image-gateway/shared/contract';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-get.js';
import { Card } from '../../../ui/card.js';
import { SelectField } from '../../../ui/forms/select-field.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { Page } from '../../../ui/page.js';
import { PartPager, usePlaces } from '../../../ui/part-pager.js';
import { Empty } from '../../../ui/states/empty.js';
import { Load } from '../../../ui/states/load.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';

const AUTHORS = [
  ['everybody', 'Owners and operators'],
  ['operators', 'Operators only'],
] as const;

/** Changes made by users and operators. */
export function Audit() {
  const places = usePlaces();
  const [subject, setSubject] = useState('');
  const [by, setBy] = useState<AuditAuthors>('everybody');
  const query = useGet({
    path: '/operator/audit',
    query: { before: places.before, per_page: 50, subject, by },
  });
  return (
    <Page title="Audit log" lead="Every change that was made by hand: who, what, when.">
      <div className="grid gap-4 sm:max-w-2xl sm:grid-cols-2">
        <TextField
          label="Only of this id"
          placeholder="acc_…, gen_…, key_…"
          value={subject}
          onChange={(event) => {
            setSubject(event.target.value.trim());
            places.reset();
          }}
        />
        <SelectField
          label="Changes by"
          value={by}
          options={AUTHORS}
          onChange={(author) => {
            setBy(author);
            places.reset();
          }}
        />
      </div>
      <Card flush className="pt-3">
        <Load query={query} rows={6}>
          {({ items, next }) => (
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
              <PartPager places={places} next={next} />
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
