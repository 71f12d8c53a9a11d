import { useSend } from '../../../api/use-api.js';
import { Confirm } from '../../../ui/forms/action-form.js';

/** Actions of an operator on a task in its state. */
export function TaskActions({
  id,
  status,
  phase,
  is_canceling: isCanceling,
  isRefunded = false,
}: Readonly<Record<'id' | 'status' | 'phase', string>> & {
  readonly is_canceling: boolean;
  readonly isRefunded?: boolean;
}) {
  const params = { id };
  const requeue = useSend('/operator/tasks/:id/requeue', ['operator']);
  const cancel = useSend('/operator/tasks/:id/cancel', ['operator']);
  const fail = useSend('/operator/tasks/:id/fail', ['operator']);
  const refund = useSend('/operator/tasks/:id/refund', ['operator']);
  const why = (label: string) => [{ name: 'reason', label, required: true, maxLength: 400 }] as const;
  return (
    <span className="flex flex-col items-end gap-1.5 sm:flex-row sm:justify-end">
      {status === 'pending' && phase === 'queued' && (
        <Confirm
          kind="plain"
          trigger="Requeue"
          title="Requeue this task?"
          note="It gets all its tries again and is due now. Its deadline and the ceilings of provider calls stay."
          verb="Requeue task"
          action={() => requeue.mutateAsync({ params })}
        />
      )}
      {status === 'pending' && !isCanceling && (
        <Confirm
          kind="plain"
          trigger="Cancel"
          title="Cancel this task?"
          note={
            <>
              No further call of a provider starts. Images that are stored, and those that open calls still
              deliver, are kept and charged; the rest of its money is released. “Fail” charges nothing
              instead.
            </>
          }
          verb="Cancel task"
          action={() => cancel.mutateAsync({ params })}
        />
      )}
      {status === 'pending' && (
        <Confirm
          trigger="Fail"
          title="Fail this task and release its money?"
          note={
            <>
              The task ends now and charges nothing: what providers ask for its calls is yours to pay. Its
              stored images are deleted. The owner sees the reason. “Cancel” charges for the images that there
              are instead.
            </>
          }
          verb="Fail task"
          fields={why('Reason, for the owner')}
          action={(body) => fail.mutateAsync({ params, body })}
        />
      )}
      {status === 'completed' && !isRefunded && (
        <Confirm
          trigger="Refund"
          title="Refund this task?"
          note="The whole cost is refunded, once. The images stay."
          verb="Refund task"
          fields={why('Reason, for the books')}
          action={(body) => refund.mutateAsync({ params, body })}
        />
      )}
    </span>
  );
}
