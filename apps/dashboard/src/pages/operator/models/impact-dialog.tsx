import type { CheckedDocumentView, ModelImpact } from '@image-gateway/shared/catalog/schema';
import type { ReactNode } from 'react';
import { ActionForm } from '../../../ui/forms/action-form.js';
import { Dialog } from '../../../ui/forms/dialog.js';
import { ErrorNotice, Notice } from '../../../ui/states.js';

const KINDS = {
  gone: 'It leaves the catalog: requests for it are refused.',
  off: 'It goes off offer: requests for it are refused.',
  on: 'It goes on offer.',
  new: 'It is new.',
} as const;

/** Question before a change of the catalog: what it means for customers. A price that leaps is typed again. */
export function ImpactDialog({
  checked,
  title,
  verb,
  onClose,
  action,
  children,
}: {
  /** Judgment of the change; null while there is no question. */
  readonly checked: CheckedDocumentView | null;
  readonly title: string;
  readonly verb: string;
  readonly onClose: () => void;
  readonly action: (retyped: readonly string[]) => Promise<unknown>;
  readonly children?: ReactNode;
}) {
  return (
    <Dialog
      open={checked !== null}
      onClose={onClose}
      title={title}
      note="All processes follow within 5 seconds. Open tasks keep the price of their submission and take the routes that are in force."
    >
      {checked && (
        <ActionForm
          fields={listLeaps(checked.impact).map(({ name, to }, index) => ({
            name: `leap${index}`,
            label: `${name}: type the new price again`,
            hint: `It changes by a factor of ten or more. If that is meant, type ${to}.`,
            inputMode: 'decimal' as const,
            autoComplete: 'off',
            required: true,
          }))}
          verb={verb}
          kind="primary"
          onCancel={onClose}
          onDone={onClose}
          action={(values) => action(Object.values(values))}
        >
          <Impact impact={checked.impact} />
          {children}
        </ActionForm>
      )}
    </Dialog>
  );
}

const listLeaps = (impact: readonly ModelImpact[]) =>
  impact.flatMap(({ model, prices }) =>
    prices.flatMap(({ offer, to, is_leap }) =>
      is_leap && to !== null ? [{ name: `${model} ${offer}`, to }] : [],
    ),
  );

/** Meaning of a change for the customers of each model. */
function Impact({ impact }: Pick<CheckedDocumentView, 'impact'>) {
  if (impact.length === 0) {
    return <p className="text-sm">No price, offer, route or alias changes.</p>;
  }
  return (
    <ul className="grid max-h-[50vh] gap-4 overflow-y-auto text-sm">
      {impact.map((one) => (
        <li key={one.model} className="grid gap-1">
          <span className="font-medium [overflow-wrap:anywhere]">{one.model}</span>
          {one.kind !== null && <span>{KINDS[one.kind]}</span>}
          {one.is_rerouted && <span>Its routes change, also for its open tasks.</span>}
          <ul className="grid gap-0.5">
            {one.prices.map(({ offer, from, to, cost }) => (
              <li key={offer} className="figures">
                {offer}: {from === to ? `stays ${to}` : `${from ?? 'not sold'} → ${to ?? 'not sold'}`}
                {cost !== null && <span className="text-bad"> below the cheapest cost of {cost}</span>}
              </li>
            ))}
            {one.aliases.map(({ alias, to }) => (
              <li key={alias} className="[overflow-wrap:anywhere]">
                Alias {alias}: {to === null ? 'names nothing then' : `names ${to} then`}
              </li>
            ))}
          </ul>
          <span className="text-muted">{describeUsers(one)}</span>
        </li>
      ))}
    </ul>
  );
}

function describeUsers({ keys, accounts, open_tasks: tasks }: ModelImpact): string {
  const count = (number: number, one: string, many: string): string =>
    `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
  return [
    `${count(accounts, 'account', 'accounts')} used it in the last 30 days`,
    `${count(keys, 'key is', 'keys are')} limited to it or to a list with it`,
    `${count(tasks, 'task is', 'tasks are')} open`,
  ].join(', ');
}

/** Outcome of a change: why it could not be looked at, its faults, or the version that has it. */
export function ChangeOutcome({
  error,
  faults,
  version,
}: Readonly<{ error: Error | null; faults: CheckedDocumentView['faults']; version: number | undefined }>) {
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {faults.length > 0 && <Faults faults={faults} />}
      {version !== undefined && (
        <Notice kind="good">Saved as version {version}. All processes follow within 5 seconds.</Notice>
      )}
    </>
  );
}

/** Faults of a change that cannot be made. */
export function Faults({ faults }: Pick<CheckedDocumentView, 'faults'>) {
  return (
    <Notice kind="bad">
      {faults.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="[overflow-wrap:anywhere]">
          {path === '' ? message : `${path}: ${message}`}
        </p>
      ))}
    </Notice>
  );
}
