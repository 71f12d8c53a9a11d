import type { KeyItem, KeyLimitsBody, KeyScope } from '@image-gateway/shared/contract';
import { useGet } from '../../api/use-get.js';
import { CheckGroup } from '../../ui/forms/check-group.js';
import { CONTROL, Field } from '../../ui/forms/field.js';
import { TextField } from '../../ui/forms/text-field.js';

/** Limits of a key as the form holds them. */
export interface LimitDraft {
  readonly models: readonly string[];
  readonly scopes: readonly KeyScope[];
  /** One on each line. */
  readonly networks: string;
  readonly capDay: string;
  readonly capMonth: string;
  readonly capTotal: string;
  /** Such as `user=0.50`. */
  readonly capDayPer: string;
  readonly joinEqual: boolean;
}

/** Limits of a key that was not limited. */
export const NO_LIMITS: LimitDraft = {
  models: [],
  scopes: ['generate', 'read'],
  networks: '',
  capDay: '',
  capMonth: '',
  capTotal: '',
  capDayPer: '',
  joinEqual: false,
};

const SCOPES: readonly (readonly [KeyScope, string])[] = [
  ['generate', 'generate: submit tasks'],
  ['read', 'read: all tasks, usage and balance'],
  ['delete', 'delete: remove tasks, cancel those of other keys'],
];

/** Returns the limits of a key as the form shows them. */
export function toDraft({ models, scopes, allowed_cidrs, caps, join_equal }: KeyItem): LimitDraft {
  const amount = (window: 'day' | 'month' | 'total'): string => caps[window]?.limit.replace('$', '') ?? '';
  return {
    models,
    scopes,
    networks: allowed_cidrs.join('\n'),
    capDay: amount('day'),
    capMonth: amount('month'),
    capTotal: amount('total'),
    capDayPer: caps.day_per ? `${caps.day_per.key}=${caps.day_per.limit.replace('$', '')}` : '',
    joinEqual: join_equal,
  };
}

/** Returns the body that sets the limits of the form. */
export function toBody({
  models,
  scopes,
  networks,
  capDay,
  capMonth,
  capTotal,
  capDayPer,
  joinEqual,
}: LimitDraft): KeyLimitsBody {
  const amount = (text: string): string | null => text.trim().replace('$', '') || null;
  return {
    models,
    scopes,
    allowed_cidrs: networks.split(/[\s,]+/).filter((network) => network !== ''),
    cap_day: amount(capDay),
    cap_month: amount(capMonth),
    cap_total: amount(capTotal),
    cap_day_per: capDayPer.trim() || null,
    join_equal: joinEqual,
  };
}

/** Fields for the limits of a key: caps, models, scopes and networks. */
export function LimitFields({
  draft,
  onChange,
}: {
  readonly draft: LimitDraft;
  readonly onChange: (draft: LimitDraft) => void;
}) {
  const offered = useGet({ path: '/playground' }).data?.models ?? [];
  const models = [...new Set([...offered.map(({ id }) => id), ...draft.models])];
  const change = (part: Partial<LimitDraft>): void => onChange({ ...draft, ...part });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <CapField label="Cap a day, in $" value={draft.capDay} onChange={(capDay) => change({ capDay })} />
        <CapField
          label="Cap a month, in $"
          value={draft.capMonth}
          onChange={(capMonth) => change({ capMonth })}
        />
        <CapField
          label="Cap in total, in $"
          value={draft.capTotal}
          onChange={(capTotal) => change({ capTotal })}
        />
      </div>
      <TextField
        label="Cap a day for each value of metadata"
        hint="A key of metadata and dollars, such as user=0.50: each user may spend so much a day, and requests without one are refused."
        placeholder="none"
        maxLength={100}
        value={draft.capDayPer}
        onChange={({ target }) => change({ capDayPer: target.value })}
      />
      <CheckGroup
        label="Models"
        hint="None chosen: all models."
        options={models.map((id) => [id, id] as const)}
        chosen={draft.models}
        onChange={(chosen) => change({ models: chosen })}
      />
      <CheckGroup
        label="Scopes"
        options={SCOPES}
        chosen={draft.scopes}
        onChange={(scopes) => change({ scopes })}
      />
      <CheckGroup
        label="Equal requests"
        hint="For relays such as LiteLLM, which hide from us that a client repeats its request."
        options={[['join', 'share the task under way on the OpenAI-compatible API'] as const]}
        chosen={draft.joinEqual ? ['join'] : []}
        onChange={(chosen) => change({ joinEqual: chosen.length > 0 })}
      />
      <Field
        label="Networks"
        hint="Addresses or networks such as 192.0.2.0/24, one on each line. Empty: from anywhere."
      >
        {(control) => (
          <textarea
            {...control}
            rows={2}
            spellCheck={false}
            className={CONTROL}
            value={draft.networks}
            onChange={({ target }) => change({ networks: target.value })}
          />
        )}
      </Field>
    </>
  );
}

function CapField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <TextField
      label={label}
      inputMode="decimal"
      placeholder="none"
      maxLength={20}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
