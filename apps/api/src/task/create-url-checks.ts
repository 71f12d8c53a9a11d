import { getPublicUrls } from '@image-gateway/shared/config';
import { IMAGES_PREFIX, parseFileEntry } from '@image-gateway/shared/ids';
import { checkLiteralHost } from '@image-gateway/shared/net';
import type { UrlChecks } from '../catalog/create-offers.js';
import type { ApiSettings } from '../env.js';

/** Creates the checks of the addresses that requests name. */
export function createUrlChecks(settings: ApiSettings): UrlChecks {
  const { baseUrl, fileUrl } = getPublicUrls(settings);
  const allow = new Set(settings.OUTBOUND_ALLOW);
  const isAllowedUrl = (url: string): boolean => checkLiteralHost(url, allow) === 'ok';
  return {
    isAllowedImageUrl: (url) =>
      url.startsWith(`${fileUrl}/${IMAGES_PREFIX}`) ||
      parseFileEntry(url, baseUrl) !== null ||
      isAllowedUrl(url),
    isAllowedWebhookUrl: isAllowedUrl,
  };
}
