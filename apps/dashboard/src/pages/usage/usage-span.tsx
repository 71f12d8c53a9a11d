import { useGet } from '../../api/use-get.js';
import { nameKeys } from '../../lib/name-keys.js';
import { Button } from '../../ui/forms/button.js';
import { SelectField } from '../../ui/forms/select-field.js';
import { TextField } from '../../ui/forms/text-field.js';

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

/** Chooses the days, the model, the key and the metadata that a page is about. */
export function UsageSpan({
  span,
  onChange,
}: {
  readonly span: Span;
  readonly onChange: (span: Span) => void;
}) {
  const models = useGet({ path: '/playground' }).data?.models ?? [];
  const keys = useGet({ path: '/keys' }).data ?? [];
  const today = formatDay(Date.now());
  return (
    <div className="flex flex-wrap items-end gap-4">
      <div className="grid flex-1 basis-80 grid-cols-2 gap-4 sm:grid-cols-3 2xl:grid-cols-5">
        <TextField
          label="From"
          type="date"
          required
          max={span.to}
          value={span.from}
          onChange={({ target }) => target.value !== '' && onChange({ ...span, from: target.value })}
        />
        <TextField
          label="To"
          type="date"
          required
          min={span.from}
          max={today}
          value={span.to}
          onChange={({ target }) => target.value !== '' && onChange({ ...span, to: target.value })}
        />
        <SelectField
          label="Model"
          value={span.model}
          options={[
            ['', 'All'],
            ...models.map(({ id, family }) => [id, family === null ? id : `${id} (${family})`] as const),
          ]}
          onChange={(model) => onChange({ ...span, model })}
        />
        <SelectField
          label="Key"
          value={span.key}
          options={[['', 'All'], ...nameKeys(keys)]}
          onChange={(key) => onChange({ ...span, key })}
        />
        <TextField
          label="Metadata"
          placeholder="user=42"
          value={span.entry}
          onChange={({ target }) => onChange({ ...span, entry: target.value })}
        />
      </div>
      <fieldset className="flex gap-1.5">
        <legend className="sr-only">Usual spans</legend>
        {[7, 30, 90].map((days) => (
          <Button
            key={days}
            kind="quiet"
            onClick={() =>
              onChange({ ...span, from: formatDay(Date.now() - (days - 1) * DAY_MS), to: today })
            }
          >
            {days} days
          </Button>
        ))}
      </fieldset>
    </div>
  );
}
