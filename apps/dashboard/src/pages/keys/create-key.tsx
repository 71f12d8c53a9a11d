import type { NewKeyView } from '@image-gateway/shared/key/schema';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { Button } from '../../ui/forms/button.js';
import { Dialog } from '../../ui/forms/dialog.js';
import { SelectField } from '../../ui/forms/select-field.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { LimitFields, NO_LIMITS, toBody } from './limit-fields.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const ENDS = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;

/** The window in which a key is made. */
export function CreateKey({
  open,
  onClose,
  onMade,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onMade: (key: NewKeyView) => void;
}) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [limits, setLimits] = useState(NO_LIMITS);
  const send = useSend('/keys', ['keys', 'overview']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    send.mutate(
      { body: { name, expires_at, limits: toBody(limits) } },
      {
        onSuccess: (key) => {
          setName('');
          setDays('');
          setLimits(NO_LIMITS);
          onMade(key);
        },
      },
    );
  };
  return (
    <Dialog open={open} onClose={onClose} title="Create key" note="The key is shown once, right after this.">
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Name"
          hint="What you will know it by, such as the program that uses it."
          placeholder="production"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField label="Expires" value={days} options={ENDS} onChange={setDays} />
        <details>
          <summary className="font-medium text-sm">Limits</summary>
          <div className="mt-4 grid gap-4">
            <LimitFields draft={limits} onChange={setLimits} />
          </div>
        </details>
        {send.error && <ErrorNotice error={send.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={send.isPending}>
            Create key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
