import type { SettingsView } from '@image-gateway/shared/system/schema';
import { SearchX } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useGet } from '../../../api/use-api.js';
import { Badge } from '../../../ui/badge.js';
import { Code } from '../../../ui/code.js';
import { Field } from '../../../ui/forms/fields.js';
import { Page } from '../../../ui/page.js';
import { Empty, Load } from '../../../ui/states.js';
import { TableCard } from '../../../ui/table.js';

type Setting = SettingsView['settings'][number];

const SHOWN = [
  ['all', 'All settings'],
  ['set', 'Those that are set'],
] as const;

/** Every setting of the gateway with its value, its default and its origin. Nothing is changed here. */
export function GatewaySettings() {
  const [wanted, setWanted] = useState('');
  const [shown, setShown] = useState<(typeof SHOWN)[number][0]>('all');
  const query = useGet({ path: '/operator/settings' });
  return (
    <Page
      title="Configuration"
      lead="The settings of the gateway, as the answering process of the API has them. A restart reads the environment anew."
    >
      <div className="grid max-w-2xl gap-4 sm:grid-cols-[2fr_1fr]">
        <Field
          label="Search"
          type="search"
          placeholder="A name, a value or a word"
          value={wanted}
          onChange={setWanted}
        />
        <Field label="Show" value={shown} options={SHOWN} onChange={setShown} />
      </div>
      <Load query={query} rows={8}>
        {({ settings }) => (
          <Sections
            settings={settings.filter(
              (setting) => isFound(setting, wanted) && (shown === 'all' || isSet(setting)),
            )}
          />
        )}
      </Load>
    </Page>
  );
}

const isFound = ({ name, about, value }: Setting, wanted: string): boolean =>
  wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${name} ${about} ${value ?? ''}`.toLowerCase().includes(word));

const isSet = ({ source }: Setting): boolean => source === 'environment' || source === 'file';
const isRead = ({ source }: Setting): boolean => source !== 'elsewhere';

/** Puts what the API reads before the rest. The order stays otherwise. */
const byReader = (a: Setting, b: Setting): number => Number(isRead(b)) - Number(isRead(a));

/** Settings in their sections; those that only other processes read come last, in a section and on the page. */
function Sections({ settings }: SettingsView) {
  const sections = [...new Set(settings.toSorted(byReader).map(({ section }) => section))];
  if (sections.length === 0) {
    return (
      <Empty icon={SearchX} title="No such setting">
        Search for a part of a name, such as RATE, or for a word, such as webhook, among all settings.
      </Empty>
    );
  }
  return sections.map((section) => (
    <TableCard
      key={section}
      title={section}
      rows={settings.filter((setting) => setting.section === section).toSorted(byReader)}
      getKey={({ name }) => name}
      columns={[
        {
          title: 'Setting',
          cell: (setting) => (
            <span className="grid gap-1">
              <span className="break-all font-medium font-mono text-[0.8125rem]">{setting.name}</span>
              <span className="text-muted text-xs [overflow-wrap:anywhere]">{showWords(setting.about)}</span>
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
            preset ? (
              <span className="block w-32">
                <Code text={preset} />
              </span>
            ) : (
              <span className="text-muted">–</span>
            ),
        },
      ]}
    />
  ));
}

/** Shows a text of a document, in which names for machines stand between backquotes. */
const showWords = (text: string): ReactNode =>
  text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={part} className="font-mono">
        {part}
      </code>
    ),
  );

function Value({ setting }: { readonly setting: Setting }) {
  const { value, source, is_secret } = setting;
  if (!isRead(setting)) {
    return (
      <span className="block text-muted text-xs sm:w-44">of other processes; the API does not read it</span>
    );
  }
  return (
    <span className="grid justify-items-start gap-1 sm:w-44 lg:w-60">
      {is_secret ? (
        <Badge tone={isSet(setting) ? 'good' : 'none'}>{isSet(setting) ? 'set' : 'not set'}</Badge>
      ) : value ? (
        <Code text={value} />
      ) : (
        <span className="text-muted">not set</span>
      )}
      <span className="text-muted text-xs">
        {source === 'file' ? 'from a file' : source === 'environment' ? 'from the environment' : 'default'}
      </span>
    </span>
  );
}
