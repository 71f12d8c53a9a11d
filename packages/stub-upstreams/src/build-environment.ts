import { STUB_PROVIDERS, type StubProvider } from './core/behaviour.js';

/** The settings of the gateway that make a stub its upstream providers. */
export function buildEnvironment(
  url: string,
  keys: Readonly<Record<StubProvider, readonly string[]>>,
): Record<string, string> {
  return Object.fromEntries(
    STUB_PROVIDERS.flatMap((name) => [
      [`${name.toUpperCase()}_API_KEY`, keys[name].join(',')],
      [`${name.toUpperCase()}_BASE_URL`, url],
    ]),
  );
}
