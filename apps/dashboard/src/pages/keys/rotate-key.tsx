import { KEY_GRACE_HOURS } from '@image-gateway/shared/contract';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import { useState } from 'react';
import { Confirm } from '../../ui/forms/confirm.js';
import { SelectField } from '../../ui/forms/select-field.js';

type Grace = (typeof KEY_GRACE_HOURS)[number];

const LABELS: Readonly<Record<Grace, string>> = {
  0: 'No time: it ends at once',
  1: 'An hour',
  24: 'A day',
  168: 'A week',
  720: 'Thirty days',
};

/** A new key in place of an old one, which goes on for as long as programs need to change over. */
export function RotateKey({
  item,
  onRotate,
}: {
  readonly item: KeyItem;
  readonly onRotate: (key: KeyItem, graceHours: Grace) => Promise<void>;
}) {
  const [hours, setHours] = useState<Grace>(24);
  return (
    <Confirm
      kind="plain"
      trigger="Rotate"
      title={`Rotate ${item.name || item.prefix}`}
      note="Makes a new key with the same name, end and limits; what is used of its caps goes on. The old one works on for the time that you choose."
      verb="Make new key"
      onConfirm={() => onRotate(item, hours)}
    >
      <SelectField
        label="The old key works on for"
        value={`${hours}`}
        options={KEY_GRACE_HOURS.map((grace) => [`${grace}` as const, LABELS[grace]])}
        onChange={(text) => setHours(Number(text) as Grace)}
      />
    </Confirm>
  );
}
