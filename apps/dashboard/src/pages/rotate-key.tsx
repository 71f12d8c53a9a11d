import { KEY_GRACE_HOURS, type KeyItem, type NewKeyView } from '@image-gateway/shared/contract';
import { useState } from 'react';
import { useSend } from '../api/use-send.js';
import { Confirm } from '../ui/confirm.js';
import { SelectField } from '../ui/select-field.js';

const WORDS: Readonly<Record<number, string>> = {
  0: 'No time: it ends at once',
  1: 'An hour',
  24: 'A day',
  168: 'A week',
  720: 'Thirty days',
};

/** A new key in place of an old one, which goes on for as long as programs need to change over. */
export function RotateKey({
  item,
  onMade,
}: {
  readonly item: KeyItem;
  readonly onMade: (key: NewKeyView) => void;
}) {
  const [hours, setHours] = useState('24');
  const send = useSend<NewKeyView>(['keys']);
  const rotate = async (): Promise<void> => {
    onMade(await send.mutateAsync({ path: `/keys/${item.id}/rotate`, body: { grace_hours: Number(hours) } }));
  };
  return (
    <Confirm
      kind="plain"
      trigger="Rotate"
      title={`Rotate ${item.name || item.prefix}`}
      note="Makes a new key with the same name and end. The old one works on for the time that you choose."
      verb="Make new key"
      onConfirm={rotate}
    >
      <SelectField
        label="The old key works on for"
        value={hours}
        options={KEY_GRACE_HOURS.map((grace) => [String(grace), WORDS[grace] ?? `${grace} hours`])}
        onChange={setHours}
      />
    </Confirm>
  );
}
