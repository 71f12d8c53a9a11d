import type { Infer } from '@image-gateway/shared/schema';
import type { auditQuery } from '@image-gateway/shared/system/schema';
import { Download, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { buildUrl } from '../../../api/request.js';
import { useGet } from '../../../api/use-api.js';
import { ButtonAnchor } from '../../../ui/forms/button.js';
import { Fields } from '../../../ui/forms/fields.js';
import { Page } from '../../../ui/page.js';
import { PartTable, usePlaces } from '../../../ui/pager.js';
import { Empty } from '../../../ui/states.js';
import { describeAudit } from './describe-audit.js';

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
  const query = useGet({
    path: '/operator/audit',
    query: { before: places.before, per_page: 50, ...filter },
  });
  return (
    <Page
      title="Audit log"
      lead="Every change that was made by hand: who, what, when, from what to what."
      actions={
        <ButtonAnchor href={`/dashboard/api${buildUrl('/operator/audit.csv', {}, filter)}`} download>
          <Download aria-hidden />
          Export CSV
        </ButtonAnchor>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <Fields
          fields={[
            { name: 'subject', label: 'Only of this id', placeholder: 'acc_…, gen_…, key_…' },
            { name: 'actor', label: 'Person', placeholder: 'operator@example.com, cli' },
            { name: 'action', label: 'Action', placeholder: 'account.credit, catalog.apply, key.rotate' },
            { name: 'day', label: 'Day (UTC)', type: 'date' },
            { name: 'by', label: 'Changes by', options: AUTHORS },
          ]}
          values={filter}
          onChange={(change) => {
            const trimmed = Object.entries(change).map(([name, text]) => [name, text.trim()]);
            setFilter({ ...filter, ...Object.fromEntries(trimmed) });
            places.reset();
          }}
        />
      </div>
      <PartTable
        caption="Audit log"
        query={query}
        places={places}
        empty={
          <Empty icon={ScrollText} title="No entries">
            Nothing that fits was changed by hand.
          </Empty>
        }
        columns={[
          {
            title: 'What',
            cell: ({ action, actor, subject: id, detail }) => (
              <>
                <span className="font-medium">{action}</span>
                <span className="block break-all font-mono text-muted text-xs">{id}</span>
                <span className="block text-muted text-xs [overflow-wrap:anywhere]">
                  {describeAudit(detail)}
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
          { title: 'When', align: 'right', when: ({ created_at }) => created_at },
        ]}
      />
    </Page>
  );
}
