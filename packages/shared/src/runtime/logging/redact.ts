const SECRET_NAMES = new RegExp(
  `^(${[
    '(proxy-)?authorization|(set-)?cookie|x-(goog-)?api-key|api-?key|keys?|token|password',
    'secret|.*_secret|.*Secret|(secret|access)_?key',
    '(negative_?)?prompt|image_?urls?|body|config|request|response',
  ].join('|')})$`,
  'i',
);
const MAX_TEXT = 4_000;
const MAX_DEPTH = 6;
const HIDDEN = '[redacted]';
/** Pattern that a text must match for any rule below to change it; most texts of a line do not. */
const SUSPICIOUS = /\s|:\/\/|gw_live_|whsec_/;

/** Takes secrets out of a text: API keys, webhook secrets, bearer tokens, and user info and query strings of URLs. */
export function redactText(text: string): string {
  if (text.length <= MAX_TEXT && !SUSPICIOUS.test(text)) {
    return text;
  }
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return short
    .replace(/gw_live_[0-9A-Za-z]+/g, 'gw_live_[redacted]')
    .replace(/whsec_[0-9A-Za-z+/=]+/g, 'whsec_[redacted]')
    .replace(/\b(bearer|basic|key)\s+[^\s"',;]+/gi, `$1 ${HIDDEN}`)
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]*@/gi, `$1${HIDDEN}@`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]+)[?#][^\s"'<>]*/gi, `$1?${HIDDEN}`);
}

/**
 * Takes secrets out of any value before it is logged: fields with telling names, and secrets inside texts; errors keep name,
 * message, code and stack.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return redactText(value);
  }
  if (typeof value === 'bigint') {
    return value.toString();
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  if (depth >= MAX_DEPTH) {
    return '[deep]';
  }
  if (value instanceof Date) {
    return value;
  }
  if (value instanceof Error) {
    return redactError(value, depth);
  }
  if (Buffer.isBuffer(value)) {
    return `[${value.length} bytes]`;
  }
  if (Array.isArray(value)) {
    return value.slice(0, 50).map((entry) => redact(entry, depth + 1));
  }
  // An object with its own JSON form, such as a URL, is redacted in that form.
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') {
    return redact(toJSON.call(value), depth + 1);
  }
  return redactFields(value as Record<string, unknown>, depth);
}

/** Takes secrets out of the value of a field: all of it when its name tells. */
export function redactField(name: string, value: unknown, depth = 1): unknown {
  return value !== undefined && isSecretName(name) ? HIDDEN : redact(value, depth);
}

/**
 * Returns the object itself when nothing in it has to change, as in nearly every line. A copy would cost more than the
 * rest of the line.
 */
function redactFields(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  let safe: Record<string, unknown> | undefined;
  for (const name in fields) {
    const entry = fields[name];
    const clean = redactField(name, entry, depth + 1);
    if (clean === entry) {
      continue;
    }
    // Without a prototype, so that a field named `__proto__` is one like any other.
    safe ??= Object.assign(Object.create(null) as Record<string, unknown>, fields);
    safe[name] = clean;
  }
  return safe ?? fields;
}

// The same few names stand in every line.
const KNOWN_NAMES = new Map<string, boolean>();
const MAX_KNOWN = 1_000;

function isSecretName(name: string): boolean {
  const known = KNOWN_NAMES.get(name);
  if (known !== undefined) {
    return known;
  }
  const secret = SECRET_NAMES.test(name);
  if (KNOWN_NAMES.size < MAX_KNOWN) {
    KNOWN_NAMES.set(name, secret);
  }
  return secret;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    message: redactText(error.message),
    ...(typeof code === 'string' && { code }),
    ...(error.stack && { stack: redactText(error.stack) }),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth + 1) }),
  };
}
