import { Form } from '@base-ui/react/form';
import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { useSend } from '../../../api/use-api.js';
import { describePause, formatMoney } from '../../../lib/figures.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/forms/button.js';
import { Field } from '../../../ui/forms/fields.js';
import { ErrorNotice, Notice } from '../../../ui/states.js';

const SPANS = [
  ['', 'until it is resumed'],
  ['1', 'for 1 hour'],
  ['8', 'for 8 hours'],
  ['24', 'for 24 hours'],
] as const;

/** Daily ceiling and pause of a provider. */
export function ProviderBounds({ provider }: { readonly provider: ManagedProvider }) {
  const { name, cost_day, spent_today, paused, paused_until } = provider;
  const limit = useSend('/operator/models/providers/:name/limit', ['operator']);
  const pause = useSend('/operator/models/providers/:name/pause', ['operator']);
  const resume = useSend('/operator/models/providers/:name/resume', ['operator']);
  const params = { name };
  const error = limit.error ?? pause.error ?? resume.error;
  return (
    <section className="grid gap-4" aria-label="Ceiling and pause">
      <h3 className="font-semibold text-sm">Ceiling and pause</h3>
      <p className="text-sm">
        Spent today (UTC): <span className="figures">{formatMoney(spent_today)}</span>
        {cost_day !== null && (
          <>
            {' '}
            of <span className="figures">{formatMoney(cost_day)}</span>
          </>
        )}
        . {paused && <Badge tone="warm">{describePause(paused_until)}</Badge>}
      </p>
      {error && <ErrorNotice error={error} />}
      {limit.data && <Notice kind="good">The ceiling is saved.</Notice>}
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <Form<{ dollars: string }>
          className="flex items-end gap-2"
          onFormSubmit={({ dollars }) => limit.mutate({ params, body: { cost_day: dollars.trim() || null } })}
        >
          <Field
            name="dollars"
            label="Dollars a day"
            inputMode="decimal"
            placeholder="no ceiling"
            defaultValue={cost_day?.replace('$', '')}
          />
          <Button type="submit" disabled={limit.isPending}>
            Save ceiling
          </Button>
        </Form>
        {paused ? (
          <div>
            <Button disabled={resume.isPending} onClick={() => resume.mutate({ params })}>
              Resume calls
            </Button>
          </div>
        ) : (
          <Form<{ hours: string }>
            className="flex items-end gap-2"
            onFormSubmit={({ hours }) =>
              pause.mutate({ params, body: { hours: hours ? Number(hours) : null } })
            }
          >
            <Field name="hours" label="Pause new calls" options={SPANS} />
            <Button type="submit" disabled={pause.isPending}>
              Pause
            </Button>
          </Form>
        )}
      </div>
    </section>
  );
}
