/** A setting: how its text in the environment becomes a value. `parse` throws an Error whose message says what is expected. */
export interface Setting<T> {
  readonly parse: (text: string) => T;
  /** Used when the variable is unset or empty; absent means required. */
  readonly fallback?: T;
  readonly optional?: true;
  /** True where the text is shown nowhere. */
  readonly isSecret?: true;
  /** Value of an unset variable that another one makes needless; undefined where it is needed. */
  readonly needless?: (env: Readonly<Record<string, string | undefined>>) => T | undefined;
}

const ofParse =
  <T>(parse: (text: string) => T) =>
  (fallback?: T): Setting<T> =>
    fallback === undefined ? { parse } : { parse, fallback };

const expected = (what: string): never => {
  throw new Error(`must be ${what}`);
};

/** Any text. */
export const text = ofParse((value) => value);

/** A positive number (fractions allowed). */
export const positiveNumber = ofParse((value) => {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 && /^[0-9.eE+]+$/.test(value)
    ? number
    : expected('a positive number');
});

/** A whole number of at least 1. */
export const positiveInteger = ofParse((value) =>
  /^\d{1,9}$/.test(value) && Number(value) > 0 ? Number(value) : expected('a whole number of at least 1'),
);

/** A whole number of at least 0. */
export const wholeNumber = ofParse((value) =>
  /^\d{1,9}$/.test(value) ? Number(value) : expected('a whole number of at least 0'),
);

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** A number of bytes, with a unit or without one: `1073741824`, `512 MiB`, `4G`. Units are powers of 1024. */
export const byteSize = ofParse((value) => {
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b)?$/i.exec(value) ?? [];
  const bytes = Math.floor(Number(digits) * (UNITS[unit.toLowerCase()] ?? 1));
  return bytes > 0 ? bytes : expected('a number of bytes such as 536870912 or 512 MiB');
});

/** A TCP port, 0 meaning any free one. */
export const port = ofParse((value) =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : expected('a port between 0 and 65535'),
);

/** `true`, `1`, `yes`, `on` or their opposites. */
export const boolean = ofParse((value) => {
  if (/^(true|1|yes|on)$/i.test(value)) {
    return true;
  }
  return /^(false|0|no|off)$/i.test(value) ? false : expected('true or false');
});

/** One of a fixed set of words. */
export const choice = <const W extends string>(words: readonly W[], fallback?: W): Setting<W> => {
  const parse = (value: string): W =>
    words.find((word) => word === value) ?? expected(`one of ${words.join(', ')}`);
  return fallback === undefined ? { parse } : { parse, fallback };
};

/** An absolute URL of one of the given protocols (`http:`), kept without a trailing slash. */
export const url = (protocols: readonly string[], fallback?: string): Setting<string> => {
  const parse = (value: string): string => {
    const what = `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
    const parsed = URL.canParse(value) ? new URL(value) : expected(what);
    return protocols.includes(parsed.protocol) ? value.replace(/\/+$/, '') : expected(what);
  };
  return fallback === undefined ? { parse } : { parse, fallback };
};

/** A comma-separated list, empty entries dropped, each entry parsed by itself. */
export const list = <T>(entry: (value: string) => T, fallback?: readonly T[]): Setting<readonly T[]> => {
  const parse = (value: string): readonly T[] =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(entry);
  return fallback === undefined ? { parse } : { parse, fallback };
};

/** Makes a setting optional: undefined when the variable is unset or empty. */
export const optional = <T>(setting: Setting<T>): Setting<T | undefined> => ({
  parse: setting.parse,
  optional: true,
});

/** Makes a setting a secret, whose text is shown nowhere. */
export const secret = <T>(setting: Setting<T>): Setting<T> => ({ ...setting, isSecret: true });

/** Makes an optional setting required. */
export const required = <T>({ parse }: Setting<T | undefined>): Setting<T | undefined> => ({ parse });
