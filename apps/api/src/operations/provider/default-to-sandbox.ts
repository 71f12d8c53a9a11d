import {
  configuredUpstream,
  PROVIDER_NAMES,
  type ProviderName,
  type UpstreamSettings,
} from '@image-gateway/shared/upstreams';

/** Returns settings that name the sandbox when no provider is named and none has a key, as `npm start` does. */
export function defaultToSandbox<
  T extends UpstreamSettings & { readonly PROVIDERS: readonly ProviderName[] | undefined },
>(settings: T): T {
  const hasKey = PROVIDER_NAMES.some(
    (name) => name !== 'sandbox' && configuredUpstream(settings, name).keys.length > 0,
  );
  return settings.PROVIDERS !== undefined || hasKey ? settings : { ...settings, PROVIDERS: ['sandbox'] };
}
