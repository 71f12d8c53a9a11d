import { useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Confirm } from '../../../ui/forms/confirm.js';
import { TextField } from '../../../ui/forms/text-field.js';

/** Actions of an operator on a task in its state. */
export function TaskActions({
  id,
  status,
  phase,
}: {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
}) {
  const [reason, setReason] = useState('');
  const params = { id };
  const requeue = useSend('/operator/tasks/:id/requeue', ['operator']);
  const fail = useSend('/operator/tasks/:id/fail', ['operator']);
  const refund = useSend('/operator/tasks/:id/refund', ['operator']);
  const why = (label: string) => (
    <TextField
      label={label}
      required
      maxLength={400}
      value={reason}
      onChange={(event) => setReason(event.target.value)}
    />
  );
  return (
    <span className="flex flex-col items-end gap-1.5 sm:flex-row sm:justify-end">
      {status === 'pending' && phase === 'queued' && (
        <Confirm
          kind="plain"
          trigger="Requeue"
          title="Requeue this task?"
          note="It gets all its tries again and is due now. Its deadline and the ceilings of provider calls stay."
          verb="Requeue task"
          onConfirm={() => requeue.mutateAsync({ params })}
        />
      )}
      {status === 'pending' && (
        <Confirm
          trigger="Fail"
          title="Fail this task and release its money?"
          note="The task ends at no cost, and its stored images are deleted. The owner sees the reason."
          verb="Fail task"
          onConfirm={() => fail.mutateAsync({ params, body: { reason } })}
        >
          {why('Reason, for the owner')}
        </Confirm>
      )}
      {status === 'completed' && (
        <Confirm
          trigger="Refund"
          title="Refund this task?"
          note="The whole cost is refunded, once. The images stay."
          verb="Refund task"
          onConfirm={() => refund.mutateAsync({ params, body: { reason } })}
        >
          {why('Reason, for the books')}
        </Confirm>
      )}
    </span>
  );
}
