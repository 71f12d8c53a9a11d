import type { SettingsView } from '@image-gateway/shared/system/schema';
import { SearchX } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { Badge } from '../../../ui/badge.js';
import { Code } from '../../../ui/code.js';
import { Field } from '../../../ui/forms/fields.js';
import { Page } from '../../../ui/page.js';
import { Empty, Load } from '../../../ui/states.js';
import { TableCard } from '../../../ui/table.js';

type Setting = SettingsView['settings'][number];

/** Every setting of the gateway with its value, its default and its origin. Nothing is changed here. */
export function GatewaySettings() {
  const [wanted, setWanted] = useState('');
  const query = useGet({ path: '/operator/settings' });
  return (
    <Page
      title="Settings of the gateway"
      lead="As the process of the API that answers has them. The environment of the processes sets them, and a restart reads it anew."
    >
      <div className="max-w-md">
        <Field
          label="Search"
          type="search"
          placeholder="A name, a value or a word"
          value={wanted}
          onChange={setWanted}
        />
      </div>
      <Load query={query} rows={8}>
        {({ settings }) => <Sections settings={settings.filter((setting) => isFound(setting, wanted))} />}
      </Load>
    </Page>
  );
}

const isFound = ({ name, about, value }: Setting, wanted: string): boolean =>
  wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${name} ${about} ${value ?? ''}`.toLowerCase().includes(word));

function Sections({ settings }: SettingsView) {
  const sections = [...new Set(settings.map(({ section }) => section))];
  if (sections.length === 0) {
    return (
      <Empty icon={SearchX} title="No setting has these words">
        Search for a part of a name, such as RATE, or for a word, such as webhook.
      </Empty>
    );
  }
  return sections.map((section) => (
    <TableCard
      key={section}
      title={section}
      rows={settings.filter((setting) => setting.section === section)}
      getKey={({ name }) => name}
      columns={[
        {
          title: 'Setting',
          cell: (setting) => (
            <span className="grid gap-1">
              <span className="break-all font-medium font-mono text-[0.8125rem]">{setting.name}</span>
              <span className="text-muted text-xs [overflow-wrap:anywhere]">{setting.about}</span>
              <span className="sm:hidden">
                <Value setting={setting} />
              </span>
            </span>
          ),
        },
        { title: 'Value', from: 'sm', cell: (setting) => <Value setting={setting} /> },
        {
          title: 'Default',
          from: 'md',
          cell: ({ default: preset }) =>
            preset ? <Code text={preset} /> : <span className="text-muted">–</span>,
        },
      ]}
    />
  ));
}

function Value({ setting: { value, source, is_secret } }: { readonly setting: Setting }) {
  if (source === 'elsewhere') {
    return <span className="text-muted text-xs">of other processes; the API does not read it</span>;
  }
  const isSet = source !== 'default';
  return (
    <span className="grid justify-items-start gap-1">
      {is_secret ? (
        <Badge tone={isSet ? 'good' : 'none'}>{isSet ? 'set' : 'not set'}</Badge>
      ) : value ? (
        <Code text={value} />
      ) : (
        <span className="text-muted">not set</span>
      )}
      <span className="text-muted text-xs">
        {source === 'file' ? 'from a file' : isSet ? 'from the environment' : 'default'}
      </span>
    </span>
  );
}
