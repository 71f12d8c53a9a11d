import type { KeyItem } from '@image-gateway/shared/key/schema';
import type { UsageSummaryEntry, UsageView } from '@image-gateway/shared/usage/schema';
import { useGet } from '../../api/use-api.js';
import { nameKeys } from '../../lib/name-keys.js';
import { formatDay, formatHour } from '../../lib/times.js';
import { Field } from '../../ui/forms/fields.js';
import { type Column, TableCard } from '../../ui/table.js';

const GROUPS = [
  ['day,model', 'Day and model'],
  ['day', 'Day'],
  ['key', 'Key'],
  ['model', 'Model'],
  ['model,quality', 'Model and quality'],
  ['key,model', 'Key and model'],
  ['day,key', 'Day and key'],
  ['metadata', 'Metadata'],
  ['day,metadata', 'Day and metadata'],
  ['model,metadata', 'Model and metadata'],
  ['hour', 'Hour'],
  ['hour,model', 'Hour and model'],
] as const;

/** Fields by which the table sums up, comma-separated. */
export type GroupBy = (typeof GROUPS)[number][0];

/** Longest span by hours, both days included. */
const MAX_HOURS_DAYS = 7;
const DAY_MS = 86_400_000;

interface Days {
  readonly from: string;
  readonly to: string;
}

/** Returns the chosen groups, without hours where the span is too long for them. */
export function getGroupBy(chosen: GroupBy, span: Days): GroupBy {
  return chosen.includes('hour') && !mayGroupByHour(span) ? 'day,model' : chosen;
}

/** Writes groups as the query names them; the key of metadata is the one that was typed. */
export function nameGroups(groupBy: GroupBy, metadataKey: string): string {
  const key = /^[A-Za-z0-9_.-]{1,64}$/.test(metadataKey) ? metadataKey : 'user';
  return groupBy.replace('metadata', `metadata:${key}`);
}

function mayGroupByHour({ from, to }: Days): boolean {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS < MAX_HOURS_DAYS;
}

/** Usage, the groups that its table sums up, and how they are chosen. */
export interface UsageGroupsProps {
  readonly usage: UsageView;
  readonly groupBy: GroupBy;
  readonly onChange: (groupBy: GroupBy) => void;
  readonly metadataKey: string;
  readonly onMetadataKey: (key: string) => void;
}

/** Table of the usage by groups, newest first, and the choice of these. */
export function UsageGroups({ usage, groupBy, onChange, metadataKey, onMetadataKey }: UsageGroupsProps) {
  const keys = useGet({ path: '/keys' }).data ?? [];
  const fields = getFields(groupBy, keys);
  const [first, ...others] = fields;
  const title = GROUPS.find(([value]) => value === groupBy)?.[1].toLowerCase() ?? groupBy;
  const options = GROUPS.filter(([value]) => !value.includes('hour') || mayGroupByHour(usage));
  const columns: Column<UsageSummaryEntry>[] = [
    {
      title: first?.title ?? '',
      cell: (entry) => (
        <>
          <span className="figures">{first?.read(entry)}</span>
          {others.map((field) => (
            <span key={field.title} className="block break-all text-muted text-xs sm:hidden">
              {field.read(entry)}
            </span>
          ))}
        </>
      ),
    },
    ...others.map(
      (field): Column<UsageSummaryEntry> => ({ title: field.title, from: 'sm', cell: field.read }),
    ),
    { title: 'Tasks', from: 'sm', figure: ({ request_count }) => request_count },
    { title: 'Images', figure: ({ total_units }) => total_units },
    { title: 'Cost', amount: ({ total_cost }) => total_cost },
  ];
  return (
    <TableCard
      title={`By ${title}`}
      caption={`Usage by ${title}`}
      rows={isByTime(groupBy) ? [...usage.groups].reverse() : usage.groups}
      getKey={(entry) => fields.map(({ read }) => read(entry)).join(' ')}
      columns={columns}
      action={
        <div className="flex flex-wrap items-end gap-3">
          {groupBy.includes('metadata') && (
            <Field label="Key of metadata" value={metadataKey} maxLength={64} onChange={onMetadataKey} />
          )}
          <Field label="Group by" value={groupBy} options={options} onChange={onChange} />
        </div>
      }
    />
  );
}

const isByTime = (groupBy: GroupBy): boolean => /hour|day/.test(groupBy);

interface Group {
  readonly title: string;
  readonly read: (entry: UsageSummaryEntry) => string;
}

function getFields(groupBy: GroupBy, keys: readonly KeyItem[]): readonly Group[] {
  const names = nameKeys(keys);
  const fields: Readonly<Record<string, Group>> = {
    hour: { title: 'Hour', read: ({ hour = '' }) => hour && formatHour(hour) },
    day: { title: 'Day', read: ({ day = '' }) => day && formatDay(day) },
    key: { title: 'Key', read: ({ api_key_id: id = '' }) => names.get(id) ?? id },
    model: { title: 'Model', read: ({ model = '' }) => model },
    metadata: { title: 'Metadata', read: ({ metadata = {} }) => Object.values(metadata)[0] ?? 'none' },
    quality: { title: 'Quality', read: ({ quality = '–' }) => quality },
  };
  return groupBy.split(',').flatMap((name) => fields[name] ?? []);
}
