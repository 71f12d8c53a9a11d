import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { formatMoney } from '../../../lib/figures.js';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { Dialog } from '../../../ui/forms/dialog.js';
import { Load } from '../../../ui/states.js';
import { Table } from '../../../ui/table.js';
import { InstanceLines } from './instance-lines.js';
import { ProviderBounds } from './provider-bounds.js';
import { ProviderKeyForm } from './provider-key-form.js';
import { ProviderTrial } from './provider-trial.js';

/** Providers, all or some, with the state of their keys, and a window for each in which these are set, tried and bounded. */
export function ProviderCard({ names }: { readonly names?: readonly string[] }) {
  const query = useGet({ path: '/operator/models/providers' }, { everyMs: 10_000 });
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <Card
      title={names === undefined ? 'Keys and bounds' : 'Providers of these routes'}
      note="Keys are stored encrypted and never shown again. The command line and CATALOG_FILE change addresses and instances."
      flush
    >
      <Load query={query} rows={5}>
        {({ providers, can_store, can_try }) => {
          const shown = providers.find(({ name }) => name === opened);
          return (
            <>
              <Table
                caption="Providers with their keys"
                rows={providers.filter(({ name }) => names?.includes(name) ?? true)}
                getKey={({ name }) => name}
                columns={[
                  { title: 'Provider', cell: (provider) => <Name provider={provider} /> },
                  { title: 'Key', from: 'sm', cell: (provider) => <KeyState provider={provider} /> },
                  { title: 'Last trial', from: 'lg', cell: ({ check }) => <Tried check={check} /> },
                  { title: 'Spent', from: 'md', cell: (provider) => <Bounds provider={provider} /> },
                  {
                    title: 'Action',
                    silent: true,
                    align: 'right',
                    cell: ({ name }) => (
                      <Button small onClick={() => setOpened(name)}>
                        Manage<span className="sr-only"> {name}</span>
                      </Button>
                    ),
                  },
                ]}
              />
              <Dialog
                open={shown !== undefined}
                onClose={() => setOpened(null)}
                title={shown?.name ?? ''}
                note={shown?.address ?? 'Without an address'}
                wide
              >
                {shown && (
                  <div className="grid gap-6">
                    <ProviderKeyForm provider={shown} canStore={can_store} canTry={can_try} />
                    <ProviderTrial provider={shown} canTry={can_try} />
                    <ProviderBounds provider={shown} />
                    {shown.is_instance && <InstanceLines provider={shown} />}
                  </div>
                )}
              </Dialog>
            </>
          );
        }}
      </Load>
    </Card>
  );
}

function Name({ provider }: { readonly provider: ManagedProvider }) {
  const { name, protocol, is_instance, address, key_variable, unused_by } = provider;
  return (
    <span className="grid justify-items-start gap-1">
      <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
      <span className="text-muted text-xs [overflow-wrap:anywhere]">
        {is_instance && `${protocol}, `}
        {address}
      </span>
      {unused_by.length > 0 && (
        <span className="text-bad text-xs">
          {key_variable === null ? 'Not in use' : 'No key, or not in PROVIDERS,'} in {unused_by.join('; ')}
        </span>
      )}
      <span className="sm:hidden">
        <KeyState provider={provider} />
      </span>
    </span>
  );
}

function KeyState({ provider }: { readonly provider: ManagedProvider }) {
  return (
    <span className="grid justify-items-start gap-1">
      <KeyInUse provider={provider} />
      {provider.ending.map(({ last_four, since, jobs }) => (
        <span key={since} className="text-muted text-xs">
          ending: {last_four || '…'}, {describeJobs(jobs)}
        </span>
      ))}
    </span>
  );
}

const describeJobs = (jobs: number | null): string =>
  jobs === null ? 'for running jobs' : jobs === 1 ? 'one running job has it' : `${jobs} running jobs have it`;

function KeyInUse({ provider }: { readonly provider: ManagedProvider }) {
  const { key_variable, key_source, stored } = provider;
  if (key_variable === null) {
    return <Badge tone="none">no key needed</Badge>;
  }
  if (key_source === 'environment') {
    return (
      <span className="grid justify-items-start gap-1">
        <Badge tone="good">environment</Badge>
        {stored && <span className="text-muted text-xs">wins over the stored one</span>}
      </span>
    );
  }
  if (stored === null) {
    return <Badge tone="none">none</Badge>;
  }
  return (
    <span className="grid justify-items-start gap-1">
      <Badge tone={key_source === 'database' ? (stored.tested ? 'good' : 'wait') : 'bad'}>
        {key_source !== 'database' ? 'not used' : stored.tested ? 'stored, accepted' : 'stored, not tested'}
      </Badge>
      <span className="text-muted text-xs">ends with {stored.last_four || '…'}</span>
    </span>
  );
}

function Tried({ check }: Pick<ManagedProvider, 'check'>) {
  if (check === null) {
    return <span className="text-muted">–</span>;
  }
  const { result } = check;
  if (result === null) {
    return <Badge tone="wait">under way</Badge>;
  }
  const bad = result.keys.some((key) => key.result === 'refused');
  const good = result.keys.length > 0 && result.keys.every((key) => key.result === 'accepted');
  return (
    <Badge tone={bad ? 'bad' : good ? 'good' : 'none'}>
      {bad ? 'refused' : good ? 'accepted' : 'unclear'}
    </Badge>
  );
}

function Bounds({ provider }: { readonly provider: ManagedProvider }) {
  const { cost_day, spent_today, paused } = provider;
  return (
    <span className="grid justify-items-start gap-1">
      {paused && <Badge tone="warm">paused</Badge>}
      <span className="figures whitespace-nowrap text-xs">
        {formatMoney(spent_today)}
        {cost_day !== null && ` of ${formatMoney(cost_day)}`} today
      </span>
    </span>
  );
}
