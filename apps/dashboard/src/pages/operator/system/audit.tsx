import type { Infer } from '@image-gateway/shared/schema';
import type { AuditItem, auditQuery } from '@image-gateway/shared/system/schema';
import { Download, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { buildUrl } from '../../../api/build-url.js';
import { useGet } from '../../../api/use-get.js';
import { Card } from '../../../ui/card.js';
import { buttonClass } from '../../../ui/forms/button.js';
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

/** Filters of the audit log; an empty one filters nothing. */
type AuditFilter = Omit<Infer<typeof auditQuery>, 'per_page' | 'before'>;

const NO_FILTER: AuditFilter = { subject: '', by: 'everybody', actor: '', action: '', day: '' };

/** Changes made by users and operators. */
export function Audit() {
  const places = usePlaces();
  const [filter, setFilter] = useState<AuditFilter>(NO_FILTER);
  const { subject, by, actor, action, day } = filter;
  const query = useGet({
    path: '/operator/audit',
    query: { before: places.before, per_page: 50, ...filter },
  });
  const change = (part: Partial<AuditFilter>): void => {
    setFilter({ ...filter, ...part });
    places.reset();
  };
  return (
    <Page
      title="Audit log"
      lead="Every change that was made by hand: who, what, when, from what to what."
      actions={
        <a
          href={`/dashboard/api${buildUrl('/operator/audit.csv', {}, filter)}`}
          download
          className={buttonClass()}
        >
          <Download aria-hidden />
          Export CSV
        </a>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <TextField
          label="Only of this id"
          placeholder="acc_…, gen_…, key_…"
          value={subject}
          onChange={(event) => change({ subject: event.target.value.trim() })}
        />
        <TextField
          label="Person"
          placeholder="operator@example.com, cli"
          value={actor}
          onChange={(event) => change({ actor: event.target.value.trim() })}
        />
        <TextField
          label="Action"
          placeholder="account.credit, catalog.apply, key.rotate"
          value={action}
          onChange={(event) => change({ action: event.target.value.trim() })}
        />
        <TextField
          label="Day (UTC)"
          type="date"
          value={day}
          onChange={(event) => change({ day: event.target.value })}
        />
        <SelectField
          label="Changes by"
          value={by}
          options={AUTHORS}
          onChange={(author) => change({ by: author })}
        />
      </div>
      <Card flush className="pt-3">
        <Load query={query} rows={6}>
          {({ items, next }) => (
            <>
              {items.length === 0 ? (
                <Empty icon={ScrollText} title="No entries">
                  Nothing that fits was changed by hand.
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
                      cell: ({ actor }) => (
                        <span className="block min-w-28 [overflow-wrap:anywhere] lg:min-w-44">{actor}</span>
                      ),
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

/** Describes an entry: every value that changed with the one before, and what else it says. */
function describeDetail({ before, changes, ...detail }: AuditItem['detail']): string {
  const old = (before ?? {}) as Readonly<Record<string, unknown>>;
  const values = Object.entries(detail)
    .filter(([name, value]) => name in old || (value !== null && value !== ''))
    .map(([name, value]) =>
      name in old ? `${name}: ${show(old[name])} → ${show(value)}` : `${name}: ${show(value)}`,
    );
  const paths = Array.isArray(changes)
    ? (changes as readonly AuditChange[]).map(({ path, from, to }) =>
        from === undefined && to === undefined ? path : `${path}: ${show(from)} → ${show(to)}`,
      )
    : [];
  return [...values, ...paths].join(' · ');
}

interface AuditChange {
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

function show(value: unknown): string {
  if (value === null || value === undefined) {
    return 'none';
  }
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
