import type { MovementKind } from '@image-gateway/shared/contract';
import { Coins } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatDay } from '../lib/times.js';
import { Fields } from './forms/fields.js';
import { TaskLink } from './links.js';
import { Empty } from './states.js';
import { Table } from './table.js';
import { Time } from './time.js';

const KINDS: Readonly<Record<MovementKind, string>> = {
  topup: 'Top-up',
  capture: 'Charges',
  refund: 'Refund',
  adjust: 'Adjustment',
};

/** Kind and days, both included, by which movements of money are filtered; an empty one filters nothing. */
export interface MovementChoice {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
}

/** Choice of all movements. */
export const ALL_MOVEMENTS: MovementChoice = { kind: '', from: '', to: '' };

/** Returns the query of a choice of movements. */
export const toMovementQuery = ({ kind, from, to }: MovementChoice) => ({
  kind: (kind || undefined) as MovementKind | undefined,
  from: from || undefined,
  to: to || undefined,
});

/** Fields that choose movements of money. */
export function MovementFields({
  values,
  onChange,
}: {
  readonly values: MovementChoice;
  readonly onChange: (values: MovementChoice) => void;
}) {
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
      <Fields
        fields={[
          { name: 'kind', label: 'Kind', options: [['', 'All'], ...Object.entries(KINDS)] },
          { name: 'from', label: 'From (UTC)', type: 'date', max: values.to },
          { name: 'to', label: 'To (UTC)', type: 'date', min: values.from },
        ]}
        values={values}
        onChange={(change) => onChange({ ...values, ...change })}
      />
    </div>
  );
}

/** Movement of money as operators and owners get it. */
interface MovementRow {
  readonly id: string;
  readonly kind: MovementKind;
  readonly amount: string;
  readonly balance: string;
  readonly tasks?: number | null;
  readonly task_id?: string | null;
  readonly reference?: string | null;
  readonly reason?: string | null;
  readonly created_at: string;
}

/** Table of movements of money with the balance after each. */
export function MovementTable({
  of,
  rows,
  isFiltered,
  none,
  showTasks,
}: {
  readonly of: 'owner' | 'operator';
  readonly rows: readonly MovementRow[];
  readonly isFiltered: boolean;
  /** Says what to do where no money has moved. */
  readonly none: string;
  /** Shows the words of the tasks of a day of charges, such as with a link to them. */
  readonly showTasks?: ShowTasks;
}) {
  return (
    <Table
      caption="Movements of money"
      rows={rows}
      getKey={(row) => row.id}
      empty={
        <Empty icon={Coins} title={isFiltered ? 'No movement fits' : 'No money has moved'}>
          {isFiltered ? 'Choose another kind or span above.' : none}
        </Empty>
      }
      columns={[
        { title: 'What', cell: (row) => <What of={of} row={row} showTasks={showTasks} /> },
        { title: 'When', from: 'sm', cell: (row) => <When {...row} /> },
        { title: 'Amount', amount: ({ amount }) => amount },
        { title: 'Balance', figure: ({ balance }) => balance },
      ]}
    />
  );
}

type ShowTasks = (row: MovementRow, words: string) => ReactNode;

/** Kind of a movement, its task, and what is said of it. */
function What({
  of,
  row,
  showTasks = (_, words) => words,
}: {
  readonly of: 'owner' | 'operator';
  readonly row: MovementRow;
  readonly showTasks?: ShowTasks | undefined;
}) {
  const { kind, task_id: taskId, tasks, reference, reason } = row;
  return (
    <>
      <span className="font-medium">{KINDS[kind]}</span>
      {typeof taskId === 'string' && <TaskLink of={of} id={taskId} />}
      <span className="block text-muted text-xs [overflow-wrap:anywhere]">
        {isOfDay(tasks)
          ? showTasks(row, `${tasks.toLocaleString('en')} ${tasks === 1 ? 'task' : 'tasks'}`)
          : [reason, nameReference(reference)].filter(Boolean).join(' · ')}
      </span>
      <span className="block text-muted text-xs sm:hidden">
        <When {...row} />
      </span>
    </>
  );
}

const isOfDay = (tasks: number | null | undefined): tasks is number => typeof tasks === 'number';

/** The form of operators makes a random reference where none is given, which says nothing to people. */
const nameReference = (reference: string | null | undefined): string | null =>
  reference?.startsWith('dashboard:') ? null : (reference ?? null);

function When({ tasks, created_at }: MovementRow) {
  return isOfDay(tasks) ? <>{formatDay(created_at)} (UTC)</> : <Time iso={created_at} />;
}
