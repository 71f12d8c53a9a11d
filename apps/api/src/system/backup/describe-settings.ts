import { sharedSettings } from '@image-gateway/shared/config';
import { redactText } from '@image-gateway/shared/logging/redact';
import { upstreamSettings } from '@image-gateway/shared/upstreams';

/** Settings of a gateway without what is secret in them. */
export interface DescribedSettings {
  readonly settings: Readonly<Record<string, string>>;
  /** Names of the secrets that are set. */
  readonly secrets: readonly string[];
}

const SECRET = /(?:KEYS?|SECRET|PASSWORD|TOKEN|HEADERS)$/;
const KEY_OF_PROVIDER = /^[A-Z][A-Z0-9_]*_API_KEYS?$/;
/** Secrets without which a restored gateway lacks something; not every container of it has them. */
const ALWAYS = ['AUTH_SECRET', 'ENCRYPTION_KEY'];

/** Describes the settings of an environment; an address shows neither its log-in nor its parameters. */
export function describeSettings(env: Readonly<Record<string, string | undefined>>): DescribedSettings {
  const known = new Set([...Object.keys(sharedSettings), ...Object.keys(upstreamSettings), 'DATA_DIR']);
  const given = Object.entries(env)
    .flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()] as const] : []))
    .filter(([name]) => known.has(name) || KEY_OF_PROVIDER.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    settings: Object.fromEntries(
      given.filter(([name]) => !SECRET.test(name)).map(([name, value]) => [name, redactText(value)]),
    ),
    secrets: [...new Set([...ALWAYS, ...given.map(([name]) => name).filter((name) => SECRET.test(name))])],
  };
}
