import Joi from 'joi';
import {
  KEY_CAPS,
  KEY_GRACE_HOURS,
  KEY_LIMITS,
  KEY_SCOPES,
  type KeyLimitsView,
  type LimitKind,
  type LimitsBody,
  type LimitsView,
  type LimitTable,
  listLimits,
  parseInstant,
} from '../contract/index.js';
import {
  boolean,
  choice,
  convert,
  describe,
  dollars,
  type Infer,
  integer,
  list,
  named,
  nullable,
  object,
  optional,
  type Shape,
  shape,
  text,
  withDefault,
  withMessage,
} from '../schema/index.js';
import { boundedText } from '../validation/index.js';

/** Values of limits in responses, by their kind. */
const VALUES: Readonly<Record<LimitKind, Shape<unknown>>> = {
  count: nullable(integer()),
  rate: nullable(text()),
  cap: nullable(text()),
  valueCap: nullable(text()),
  models: list(text()),
  scopes: list(choice(KEY_SCOPES)),
  networks: list(text()),
  switch: boolean(),
};

/** Limits of a table as they are shown. */
export const limitsView = <T extends LimitTable>(
  limits: T,
): Shape<LimitsView<T>, LimitsView<T>, 'required'> =>
  shape(object(Object.fromEntries(listLimits(limits).map(([name, { kind }]) => [name, VALUES[kind]]))).joi);

/** Limits of a table to change; their values are judged where they are changed. */
export const limitsBody = <T extends LimitTable>(limits: T) =>
  shape<LimitsBody<T>>(Joi.object(Object.fromEntries(listLimits(limits).map(([name]) => [name, Joi.any()]))));

/** Cap of a key, and how much of it is used. */
export const capView = named('Cap', object({ limit: dollars, used: describe(dollars, 'Spent and held.') }));

/** Caps of a key by their windows, those that it has. */
export const capsView = object({
  ...Object.fromEntries(KEY_CAPS.map(([window]) => [window, optional(capView)])),
  day_per: optional(
    describe(
      object({ key: text(), limit: dollars }),
      'Daily cap of each value of a key of metadata, which requests must give.',
    ),
  ),
});

/** Limits of a key as they are shown: those that are no caps, and the caps by their windows. */
const limitFields = {
  ...Object.fromEntries(
    listLimits(KEY_LIMITS)
      .filter(([, { kind }]) => kind !== 'cap' && kind !== 'valueCap')
      .map(([name, { kind }]) => [name, VALUES[kind]]),
  ),
  caps: capsView,
};

const keyFields = object({
  id: text(),
  name: text(),
  prefix: text(),
  created_at: text(),
  last_used_at: nullable(text()),
  expires_at: nullable(text()),
  revoked_at: nullable(text()),
  /** Id of the key that replaced it by a rotation. */
  replaced_by: nullable(text()),
});
/** API key in the list of its account. */
export interface KeyItem extends KeyLimitsView, Infer<typeof keyFields> {}
/** API key in the list of its account. */
export const keyItem: Shape<KeyItem, KeyItem, 'required'> = shape(
  object({ ...limitFields, ...keyFields.fields }).joi,
);

/** New API key; `key` is shown once. */
export const newKeyView = object({
  id: text(),
  prefix: text(),
  key: text(),
});
export type NewKeyView = Infer<typeof newKeyView>;

/** Result of a revocation. */
export const revokedView = object({ revoked_at: text() });

/** Body that creates a key. */
export const createKeyBody = object({
  name: withDefault(
    withMessage(
      shape<string>(boundedText(200).allow('')),
      'A name has at most 200 characters, without NUL characters and unpaired surrogates.',
    ),
    '',
  ),
  expires_at: withDefault(
    withMessage(
      nullable(convert(text({ minLength: 1 }), (given) => parseInstant(given) ?? undefined)),
      'The end of a key is a date, or a date and time such as 2030-01-31T00:00:00Z, of the years 0001 to 9999.',
    ),
    null,
  ),
  limits: withDefault(limitsBody(KEY_LIMITS), {}),
});

/** Body that changes the limits of a key. */
export const keyLimitsBody = limitsBody(KEY_LIMITS);

/** Body that replaces a key. */
export const rotateKeyBody = object({
  grace_hours: withMessage(
    choice(KEY_GRACE_HOURS),
    `The grace time is one of ${KEY_GRACE_HOURS.join(', ')} hours.`,
  ),
});
