import type { KEY_GRACE_HOURS } from '@image-gateway/shared/contract';
import type { KeyItem, NewKeyView } from '@image-gateway/shared/key/schema';
import { useSend } from '../../api/use-send.js';
import { useNow } from '../../lib/use-now.js';
import { Badge } from '../../ui/badge.js';
import { Code } from '../../ui/code.js';
import { Confirm } from '../../ui/forms/confirm.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { EditLimits } from './edit-limits.js';
import { KeyLimits } from './key-limits.js';
import { RotateKey } from './rotate-key.js';

/** The keys of an account and what can be done with each. */
export function KeyTable({
  keys,
  onMade,
}: {
  readonly keys: readonly KeyItem[];
  readonly onMade: (key: NewKeyView) => void;
}) {
  const revoke = useSend('/keys/:id/revoke', ['keys', 'overview']);
  const rotate = useSend('/keys/:id/rotate', ['keys']);
  return (
    <KeyList
      keys={keys}
      onRevoke={({ id }) => revoke.mutateAsync({ params: { id } })}
      onRotate={async ({ id }, grace_hours) =>
        onMade(await rotate.mutateAsync({ params: { id }, body: { grace_hours } }))
      }
      canEdit
    />
  );
}

/** Table of keys with their limits and state. */
export function KeyList({
  keys,
  onRevoke,
  onRotate,
  canEdit = false,
}: {
  readonly keys: readonly KeyItem[];
  readonly onRevoke: (key: KeyItem) => Promise<unknown>;
  readonly onRotate: (key: KeyItem, graceHours: (typeof KEY_GRACE_HOURS)[number]) => Promise<void>;
  /** True if the limits can be changed here. */
  readonly canEdit?: boolean;
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
              <span>
                <Code text={`${key.prefix}…`} />
              </span>
              <span>
                <Code text={key.id} />
              </span>
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
        { title: 'Created', from: 'xl', cell: (key) => <Time iso={key.created_at} /> },
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
                {canEdit && <EditLimits item={key} />}
                <RotateKey item={key} onRotate={onRotate} />
                <Confirm
                  trigger="Revoke"
                  title={`Revoke ${key.name || key.prefix}?`}
                  note="Programs that use this key are refused within five seconds, for good. Tasks that were accepted go on."
                  verb="Revoke key"
                  onConfirm={() => onRevoke(key)}
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
