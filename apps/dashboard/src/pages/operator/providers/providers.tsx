import type { ProvidersView } from '@image-gateway/shared/provider/schema';
import { ChartColumn, CircuitBoard } from 'lucide-react';
import { useState } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { percent, seconds } from '../../../lib/figures.js';
import { formatHour, formatMoment } from '../../../lib/times.js';
import { Badge, type Tone } from '../../../ui/badge.js';
import { Button } from '../../../ui/forms/button.js';
import { Field } from '../../../ui/forms/fields.js';
import { AccountLink, TasksLink } from '../../../ui/links.js';
import { Page } from '../../../ui/page.js';
import { Empty, ErrorNotice, Load } from '../../../ui/states.js';
import { Stat, Stats } from '../../../ui/stats.js';
import { Named, TableCard } from '../../../ui/table.js';
import { Needs } from '../needs/needs.js';
import { ProviderCard } from './provider-card.js';

const HOURS = { '1': 1, '24': 24, '168': 168 } as const;
const SPANS = [
  ['1', 'Last hour'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
] as const;
const TONES: Readonly<Record<string, Tone>> = {
  closed: 'good',
  'half-open': 'warm',
  open: 'bad',
  refused: 'bad',
};

/** How the upstream providers do: calls, errors, latency, cost and margin, and their circuits. */
export function Providers() {
  const [hours, setHours] = useState<keyof typeof HOURS>('24');
  const query = useGet({ path: '/operator/providers', query: { hours: HOURS[hours] } }, { everyMs: 10_000 });
  return (
    <Page
      title="Providers"
      lead="Keys, pauses and ceilings; what upstream calls came to, and how the workers see each route now."
    >
      <Needs shows="providers" />
      <ProviderCard />
      <div className="max-w-xs">
        <Field label="Span" value={hours} options={SPANS} onChange={setHours} />
      </div>
      <Load query={query} rows={6}>
        {(view) => <Content view={view} />}
      </Load>
    </Page>
  );
}

function Content({ view }: { readonly view: ProvidersView }) {
  return (
    <>
      <Stats label="Money in this span" columns={3}>
        <Stat
          name="Charged"
          value={view.revenue}
          note={
            view.sandbox === '$0.00'
              ? 'to customers'
              : `to customers, ${view.sandbox} of it for sandbox images`
          }
        />
        <Stat name="Upstream cost" value={view.cost} note="open and unknown calls at list price" />
        <Stat name="Margin" value={view.margin} note="without sandbox images" />
      </Stats>
      <TableCard
        title="Calls"
        note={
          <>
            Since {formatHour(view.since)} UTC, some seconds behind. Times are estimates. The numbers count
            calls and lead to tasks: to those with calls, and to those of them that failed in the end.
          </>
        }
        caption="Calls by provider"
        rows={view.providers}
        getKey={({ provider }) => provider}
        empty={
          <Empty icon={ChartColumn} title="No calls in this span">
            Every call to a provider is written down before it is made.
          </Empty>
        }
        columns={[
          { title: 'Provider', cell: ({ provider }) => <span className="font-medium">{provider}</span> },
          // The sums of a busy day take its room on a phone.
          {
            title: 'Calls',
            from: 'sm',
            align: 'right',
            cell: ({ provider, calls }) => (
              <TasksLink search={{ provider, from: view.since.slice(0, 16) }}>
                <span className="figures">{calls.toLocaleString('en')}</span>
              </TasksLink>
            ),
          },
          { title: 'Succeeded', figure: ({ succeeded, calls, open }) => percent(succeeded, calls - open) },
          {
            title: 'Failed',
            from: 'md',
            align: 'right',
            cell: ({ provider, failed, unknown }) => (
              <TasksLink search={{ provider, status: 'failed', from: view.since.slice(0, 16) }}>
                <span className="figures">{(failed + unknown).toLocaleString('en')}</span>
              </TasksLink>
            ),
          },
          { title: 'Refused', from: 'lg', figure: ({ refused }) => refused },
          { title: 'Limited', from: 'lg', figure: ({ rate_limited }) => rate_limited },
          { title: 'Median', from: 'sm', figure: ({ p50_ms }) => seconds(p50_ms) },
          { title: '95 %', from: 'md', figure: ({ p95_ms }) => seconds(p95_ms) },
          { title: 'Cost', figure: ({ cost }) => cost },
        ]}
      />
      {view.limits.length > 0 && <LimitTable limits={view.limits} />}
      {view.moderated.length > 0 && <ModeratedTable moderated={view.moderated} />}
      <CandidateTable workers={view.workers} />
    </>
  );
}

/** Daily ceilings and pauses of providers. */
function LimitTable({ limits }: Pick<ProvidersView, 'limits'>) {
  return (
    <TableCard
      title="Ceilings and pauses"
      note="Set above, or on the command line. A day is one in UTC."
      rows={limits}
      getKey={({ provider, cost_day }) => `${provider} ${cost_day}`}
      columns={[
        {
          title: 'Provider',
          cell: ({ provider }) => (
            <span className="font-medium">{provider === '*' ? 'All providers' : provider}</span>
          ),
        },
        { title: 'Ceiling a day', figure: ({ cost_day }) => cost_day },
        { title: 'Spent today', figure: ({ spent_today }) => spent_today },
        {
          title: 'Calls',
          cell: ({ paused, paused_until: until }) => (
            <>
              <Badge tone={paused ? 'warm' : 'good'}>{paused ? 'paused' : 'allowed'}</Badge>
              {paused && until !== null && (
                <span className="block text-muted text-xs">until {formatMoment(until)}</span>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

/** Accounts whose calls moderation has refused, by provider. */
function ModeratedTable({ moderated }: Pick<ProvidersView, 'moderated'>) {
  return (
    <TableCard
      title="Refused by moderation"
      note="Vendors block keys whose calls break their rules too often. Talk to the account, or suspend it."
      rows={moderated}
      getKey={({ account_id, provider }) => `${account_id} ${provider}`}
      columns={[
        {
          title: 'Account',
          cell: ({ account_id, email }) => <AccountLink id={account_id}>{email}</AccountLink>,
        },
        { title: 'Provider', cell: ({ provider }) => provider },
        { title: 'Since', from: 'md', when: ({ since }) => since },
        { title: 'Last', from: 'sm', when: ({ last_at }) => last_at },
        {
          title: 'Calls',
          align: 'right',
          cell: ({ account_id: account, provider, since, refused }) => (
            <TasksLink search={{ account, provider, failure: 'moderation', from: since.slice(0, 16) }}>
              <span className="figures">{refused.toLocaleString('en')}</span>
            </TasksLink>
          ),
        },
      ]}
    />
  );
}

/** How each living worker sees the candidates: circuit, rests, calls under way. */
function CandidateTable({ workers }: Pick<ProvidersView, 'workers'>) {
  const { mutate, isPending, error } = useSend('/operator/models/providers/:name/resume', ['operator']);
  const rows = workers
    .filter(({ alive }) => alive)
    .flatMap(({ id, pid, candidates }) => candidates.map((candidate) => ({ ...candidate, worker: id, pid })));
  return (
    <>
      <TableCard
        title="Circuits"
        note={
          <>
            A closed circuit lets calls through, except those of accounts whose own calls fail. Refused: the
            provider takes no call of this route. Running counts calls, and leads to the open tasks of the
            provider.
          </>
        }
        rows={rows}
        getKey={({ worker, provider, model }) => `${worker} ${provider} ${model}`}
        empty={
          <Empty icon={CircuitBoard} title="No circuits yet">
            A generation worker reports that of a candidate within seconds of its first call.
          </Empty>
        }
        columns={[
          { title: 'Candidate', cell: ({ provider, model }) => <Named name={provider} note={model} /> },
          { title: 'Worker', from: 'md', cell: ({ pid }) => <span className="figures">process {pid}</span> },
          {
            title: 'Running',
            from: 'sm',
            align: 'right',
            cell: ({ provider, running }) => (
              <TasksLink search={{ provider, status: 'pending' }}>
                <span className="figures">{running}</span>
              </TasksLink>
            ),
          },
          {
            title: 'Rest',
            align: 'right',
            from: 'sm',
            cell: ({ paused_until, paused_because, set_aside }) =>
              set_aside ? (
                'tried last'
              ) : paused_until === null ? (
                <span className="text-muted">–</span>
              ) : (
                `paused until ${formatMoment(paused_until)} because of: ${paused_because}`
              ),
          },
          {
            title: 'Circuit',
            align: 'right',
            cell: ({ circuit, refused_because, accounts_paused }) => (
              <>
                <Badge tone={TONES[circuit] ?? 'none'}>{circuit}</Badge>
                {refused_because !== null && (
                  <span className="block text-muted text-xs [overflow-wrap:anywhere]">{refused_because}</span>
                )}
                {accounts_paused > 0 && (
                  <span className="block text-muted text-xs">accounts paused: {accounts_paused}</span>
                )}
              </>
            ),
          },
          {
            title: 'Calls',
            align: 'right',
            cell: ({ provider, held_back }) =>
              held_back && (
                <Button disabled={isPending} onClick={() => mutate({ params: { name: provider } })}>
                  Resume
                </Button>
              ),
          },
        ]}
      />
      {error && <ErrorNotice error={error} />}
    </>
  );
}
