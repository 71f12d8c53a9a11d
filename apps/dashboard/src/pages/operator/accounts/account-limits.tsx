import { ACCOUNT_LIMITS, type AccountDetail } from '@image-gateway/shared/contract';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { TextField } from '../../../ui/forms/text-field.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Notice } from '../../../ui/states/notice.js';

const formatLimit = (limit: number | null): string => (limit === null ? '' : String(limit));
const parseLimit = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Form for the limits of an account that replace the default ones. */
export function AccountLimits({ account }: { readonly account: AccountDetail }) {
  const [open, setOpen] = useState(formatLimit(account.max_open_tasks));
  const [rate, setRate] = useState(formatLimit(account.key_requests_per_minute));
  const [rateSeconds, setRateSeconds] = useState(formatLimit(account.requests_seconds));
  const [failed, setFailed] = useState(formatLimit(account.max_failed_tasks));
  const [failedSeconds, setFailedSeconds] = useState(formatLimit(account.failed_tasks_seconds ?? 3600));
  const [days, setDays] = useState(formatLimit(account.retention_days));
  const send = useSend('/operator/accounts/:id/limits', ['operator']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = {
      max_open_tasks: parseLimit(open),
      key_requests_per_minute: parseLimit(rate),
      requests_seconds: parseLimit(rateSeconds),
      max_failed_tasks: parseLimit(failed),
      failed_tasks_seconds: parseLimit(failedSeconds),
      retention_days: parseLimit(days),
    };
    send.mutate({ params: { id: account.id }, body });
  };
  return (
    <Card title="Limits" note="Empty: what the settings of the gateway say.">
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <LimitField label="Open tasks at most" value={open} onChange={setOpen} />
          <LimitField
            label="Days until finished tasks are erased"
            max={ACCOUNT_LIMITS.retentionDays}
            value={days}
            onChange={setDays}
          />
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <LimitField label="Requests at most, all keys together" value={rate} onChange={setRate} />
          <LimitField
            label="Seconds in which the requests count"
            max={ACCOUNT_LIMITS.seconds}
            value={rateSeconds}
            onChange={setRateSeconds}
          />
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <LimitField label="Tasks that fail because of their requests" value={failed} onChange={setFailed} />
          <LimitField
            label="Seconds in which failed tasks count"
            max={ACCOUNT_LIMITS.seconds}
            value={failedSeconds}
            onChange={setFailedSeconds}
          />
        </div>
        {send.error && <ErrorNotice error={send.error} />}
        {send.isSuccess && <Notice kind="good">Saved. It holds within five seconds.</Notice>}
        <div>
          <Button type="submit" disabled={send.isPending}>
            Save limits
          </Button>
        </div>
      </form>
    </Card>
  );
}

interface LimitFieldProps {
  readonly label: string;
  readonly value: string;
  readonly max?: number;
  readonly onChange: (value: string) => void;
}

function LimitField({ max = ACCOUNT_LIMITS.count, onChange, ...field }: LimitFieldProps) {
  return (
    <TextField
      {...field}
      type="number"
      min={1}
      max={max}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
