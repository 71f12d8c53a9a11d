import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/forms/button.js';
import { SelectField } from '../../../ui/forms/select-field.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Notice } from '../../../ui/states/notice.js';

const SPANS = [
  ['', 'until it is resumed'],
  ['1', 'for 1 hour'],
  ['8', 'for 8 hours'],
  ['24', 'for 24 hours'],
] as const;

/** Daily ceiling and pause of a provider. */
export function ProviderBounds({ provider }: { readonly provider: ManagedProvider }) {
  const { name, cost_day, spent_today, paused, paused_until } = provider;
  const [dollars, setDollars] = useState(cost_day?.replace('$', '') ?? '');
  const [span, setSpan] = useState<(typeof SPANS)[number][0]>('');
  const limit = useSend('/operator/models/providers/:name/limit', ['operator']);
  const pause = useSend('/operator/models/providers/:name/pause', ['operator']);
  const resume = useSend('/operator/models/providers/:name/resume', ['operator']);
  const params = { name };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    limit.mutate({ params, body: { cost_day: dollars.trim() === '' ? null : dollars.trim() } });
  };
  const error = limit.error ?? pause.error ?? resume.error;
  return (
    <section className="grid gap-4" aria-label="Ceiling and pause">
      <h3 className="font-semibold text-sm">Ceiling and pause</h3>
      <p className="text-sm">
        Spent today (UTC): <span className="figures">{spent_today}</span>
        {cost_day !== null && (
          <>
            {' '}
            of <span className="figures">{cost_day}</span>
          </>
        )}
        .{' '}
        {paused && (
          <Badge tone="warm">
            {paused_until === null ? 'paused' : `paused until ${new Date(paused_until).toLocaleString('en')}`}
          </Badge>
        )}
      </p>
      {error && <ErrorNotice error={error} />}
      {limit.data && <Notice kind="good">The ceiling is saved.</Notice>}
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <form onSubmit={submit} className="flex items-end gap-2">
          <TextField
            label="Dollars a day"
            inputMode="decimal"
            placeholder="no ceiling"
            value={dollars}
            onChange={(event) => setDollars(event.target.value)}
          />
          <Button type="submit" disabled={limit.isPending}>
            Save ceiling
          </Button>
        </form>
        <div className="flex items-end gap-2">
          {paused ? (
            <Button disabled={resume.isPending} onClick={() => resume.mutate({ params })}>
              Resume calls
            </Button>
          ) : (
            <>
              <SelectField label="Pause new calls" value={span} options={SPANS} onChange={setSpan} />
              <Button
                disabled={pause.isPending}
                onClick={() => pause.mutate({ params, body: { hours: span === '' ? null : Number(span) } })}
              >
                Pause
              </Button>
            </>
          )}
        </div>
      </div>
    </section>
  );
}
