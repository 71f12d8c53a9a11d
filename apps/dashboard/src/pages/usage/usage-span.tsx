import { useGet } from '../../api/use-api.js';
import { nameKeys } from '../../lib/name-keys.js';
import { Button } from '../../ui/forms/button.js';
import { Fields } from '../../ui/forms/fields.js';
import { useModelOptions } from '../tasks/task-filters.js';

/** Which days, both included, which model and the id of which key; an empty one is every model, every key. */
export interface Span {
  readonly from: string;
  readonly to: string;
  readonly model: string;
  readonly key: string;
  /** An entry of metadata as `key=value`; empty: any task. */
  readonly entry: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Returns the span of the last days, today included. */
export const lastDays = (count: number): Pick<Span, 'from' | 'to'> => ({
  from: formatDay(Date.now() - (count - 1) * DAY_MS),
  to: formatDay(Date.now()),
});

/** Chooses the days, the model, the key and the metadata that a page is about. */
export function UsageSpan({ span, onChange }: Readonly<{ span: Span; onChange: (span: Span) => void }>) {
  const modelOptions = useModelOptions();
  const keys = useGet({ path: '/keys' }).data ?? [];
  return (
    <div className="flex flex-wrap items-end gap-4">
      <div className="grid flex-1 basis-80 grid-cols-2 gap-4 sm:grid-cols-3 2xl:grid-cols-5">
        <Fields
          fields={[
            { name: 'from', label: 'From (UTC)', type: 'date', required: true, max: span.to },
            {
              name: 'to',
              label: 'To (UTC)',
              type: 'date',
              required: true,
              min: span.from,
              max: lastDays(1).to,
            },
            { name: 'model', label: 'Model', options: modelOptions },
            { name: 'key', label: 'Key', options: [['', 'All'], ...nameKeys(keys)] },
            { name: 'entry', label: 'Metadata', placeholder: 'user=42' },
          ]}
          values={span}
          onChange={(change) => change.from !== '' && change.to !== '' && onChange({ ...span, ...change })}
        />
      </div>
      <fieldset className="flex gap-1.5">
        <legend className="sr-only">Usual spans</legend>
        {[7, 30, 90].map((days) => (
          <Button key={days} kind="quiet" onClick={() => onChange({ ...span, ...lastDays(days) })}>
            {days} days
          </Button>
        ))}
      </fieldset>
    </div>
  );
}
