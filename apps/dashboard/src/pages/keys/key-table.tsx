import { KEY_GRACE_HOURS, type KeyLimitsBody } from '@image-gateway/shared/contract';
import type { KeyItem, NewKeyView } from '@image-gateway/shared/key/schema';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNow } from '../../lib/use-now.js';
import { Badge } from '../../ui/badge.js';
import { Code } from '../../ui/code.js';
import { Confirm } from '../../ui/forms/action-form.js';
import { Secret } from '../../ui/forms/secret.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { KeyLimits, LimitFields } from './key-limits.js';
import { toLimits } from './limit-fields.js';

const DAY_MS = 24 * 60 * 60 * 1000;

type Grace = (typeof KEY_GRACE_HOURS)[number];

const GRACES: Readonly<Record<Grace, string>> = {
  0: 'No time: it ends at once',
  1: 'An hour',
  24: 'A day',
  168: 'A week',
  720: 'Thirty days',
};

/** Table of keys with their limits and state. */
export function KeyTable({
  keys,
  onRevoke,
  onRotate,
  edit,
}: {
  readonly keys: readonly KeyItem[];
  readonly onRevoke: (key: KeyItem) => Promise<unknown>;
  /** A new key in place of an old one, which goes on for as long as programs need to change over. */
  readonly onRotate: (key: KeyItem, graceHours: Grace) => Promise<void>;
  /** Button that changes the limits of a key, where they can be changed. */
  readonly edit?: (key: KeyItem) => ReactNode;
}) {
  const now = useNow(15_000);
  const hasEnded = ({ revoked_at, expires_at }: KeyItem): boolean =>
    revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= now);
  return (
    <Table
      caption="API keys"
      rows={keys}
      getKey={({ id }) => id}
      columns={[
        {
          title: 'Key',
          cell: (key) => (
            <div className="grid gap-0.5">
              <span className="break-words font-medium [overflow-wrap:anywhere]">
                {key.name || 'Unnamed'}
              </span>
              {[`${key.prefix}…`, key.id].map((text) => (
                <span key={text}>
                  <Code text={text} />
                </span>
              ))}
              {key.replaced_by !== null && (
                <span className="break-all text-muted text-xs">
                  replaced by {findName(keys, key.replaced_by)}
                </span>
              )}
              <span className="mt-1 md:hidden">
                <KeyLimits item={key} />
              </span>
            </div>
          ),
        },
        { title: 'Limits', from: 'md', cell: (key) => <KeyLimits item={key} /> },
        {
          title: 'Last used',
          from: 'lg',
          cell: (key) =>
            key.last_used_at ? <Time iso={key.last_used_at} /> : <span className="text-muted">never</span>,
        },
        { title: 'Created', from: 'xl', when: ({ created_at }) => created_at },
        { title: 'State', from: 'sm', cell: (key) => <State item={key} ended={hasEnded(key)} /> },
        {
          title: 'Actions',
          silent: true,
          align: 'right',
          cell: (key) =>
            hasEnded(key) ? (
              <span className="sm:hidden">
                <State item={key} ended />
              </span>
            ) : (
              <span className="flex flex-col items-end gap-1.5 sm:flex-row sm:justify-end">
                {edit?.(key)}
                <Confirm
                  kind="plain"
                  trigger="Rotate"
                  title={`Rotate ${key.name || key.prefix}`}
                  note={
                    <>
                      Makes a new key with the same name, end and limits; what is used of its caps goes on.
                      The old one works on for the time that you choose.
                    </>
                  }
                  verb="Make new key"
                  fields={[
                    {
                      name: 'hours',
                      label: 'The old key works on for',
                      defaultValue: '24',
                      options: KEY_GRACE_HOURS.map((grace) => [`${grace}`, GRACES[grace]]),
                    },
                  ]}
                  action={({ hours }) => onRotate(key, Number(hours) as Grace)}
                />
                <Confirm
                  trigger="Revoke"
                  title={`Revoke ${key.name || key.prefix}?`}
                  note="Programs that use this key are refused within five seconds, for good. Tasks that were accepted go on."
                  verb="Revoke key"
                  action={() => onRevoke(key)}
                />
              </span>
            ),
        },
      ]}
    />
  );
}

/** The prefix of a key tells two of one name apart. */
function findName(keys: readonly KeyItem[], id: string): string {
  const prefix = keys.find((one) => one.id === id)?.prefix;
  return prefix === undefined ? id : `${prefix}…`;
}

function State({ item, ended }: { readonly item: KeyItem; readonly ended: boolean }) {
  if (item.revoked_at) {
    return <Badge tone="none">revoked</Badge>;
  }
  if (ended) {
    return <Badge tone="none">expired</Badge>;
  }
  if (!item.expires_at) {
    return <Badge tone="good">active</Badge>;
  }
  return (
    <span className="grid justify-items-start gap-0.5">
      <Badge tone="warm">active</Badge>
      <span className="text-muted text-xs">
        ends <Time iso={item.expires_at} />
      </span>
    </span>
  );
}

/** Button that changes the limits of a key. */
export function EditLimits({
  of,
  item,
  onSave,
}: {
  readonly of: 'owner' | 'operator';
  readonly item: KeyItem;
  readonly onSave: (limits: KeyLimitsBody) => Promise<unknown>;
}) {
  return (
    <Confirm
      kind="plain"
      trigger="Limits"
      title={`Limits of ${item.name || item.prefix}`}
      note="They apply within five seconds. Caps count what tasks hold and cost, by the UTC day of their submit. A refund frees nothing."
      verb="Save limits"
      action={(_, data) => onSave(toLimits(data))}
    >
      <LimitFields of={of} item={item} />
    </Confirm>
  );
}

/** Key that somebody wants to have. */
export interface WantedKey {
  readonly name: string;
  readonly expires_at: string | null;
  readonly limits: KeyLimitsBody;
}

const ENDS = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;

/** Button that makes a key. */
export function CreateKey({
  of,
  small = false,
  onCreate,
}: {
  readonly of: 'owner' | 'operator';
  readonly small?: boolean;
  readonly onCreate: (wanted: WantedKey) => Promise<unknown>;
}) {
  return (
    <Confirm
      trigger="Create key"
      icon={<Plus aria-hidden />}
      kind={small ? 'plain' : 'primary'}
      small={small}
      title="Create key"
      note="The key is shown once, right after this."
      verb="Create key"
      fields={[
        {
          name: 'name',
          label: 'Name',
          hint:
            of === 'owner'
              ? 'What you will know it by, such as the program that uses it.'
              : 'What its owner will know it by, such as the program that uses it.',
          placeholder: 'production',
          maxLength: 100,
        },
        { name: 'days', label: 'Expires', options: ENDS },
      ]}
      action={({ name, days }, data) => {
        const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
        return onCreate({ name, expires_at, limits: toLimits(data) });
      }}
    >
      <details>
        <summary className="font-medium text-sm">Limits</summary>
        <div className="mt-4 grid gap-4">
          <LimitFields of={of} />
        </div>
      </details>
    </Confirm>
  );
}

/** Shows a key that was just made, the one time that it can be shown. */
export function NewKey({ made, onClose }: Readonly<{ made: NewKeyView | null; onClose: () => void }>) {
  return (
    <Secret
      text={made?.key ?? null}
      onClose={onClose}
      title="Your new key"
      note="Copy it now and keep it safe. It is not stored here and cannot be shown again."
      copyLabel="Copy key"
    />
  );
}
