import { getPrice, type TaskPrice } from '@image-gateway/shared/billing';
import { getTaskType } from '@image-gateway/shared/catalog';
import {
  type Catalog,
  type CatalogModel,
  listEnabledModels,
  readBuiltInCatalog,
} from '@image-gateway/shared/catalog/document';
import type { TaskRequest } from '@image-gateway/shared/contract';
import type { ActiveCatalog, CatalogFeed } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import {
  createRequestParser,
  isDrawn,
  type RequestParser,
  readRequirements,
} from '@image-gateway/shared/task';
import type { ProvidersWatch } from '../provider/watch-providers.js';

/** Models on offer by one version of the catalog: enabled ones that a provider in use can draw. */
export interface Offer {
  readonly version: number;
  readonly models: readonly CatalogModel[];
  readonly instances: Catalog['instances'];
  /** Ids of all models of the catalog, on offer or not. */
  readonly modelIds: readonly string[];
  readonly parser: RequestParser;
  /** Model of facade requests that name none. */
  readonly defaultModel: string;
}

/** Offers of the active catalog, derived once for each version. */
export interface Offers {
  /** Resolves with the current offer; rejects with AppError while no catalog can be read. */
  readonly load: () => Promise<Offer>;
  /** Resolves with the current offer, or with the built-in one while no catalog can be read. */
  readonly describe: () => Promise<Offer>;
  /**
   * Prices a request by the active catalog. Throws AppError `VALIDATION_ERROR` when it no longer offers it. While a worker of
   * an earlier build is alive, throws `SERVICE_UNAVAILABLE` for a request that it could not draw.
   */
  readonly getPrice: (request: TaskRequest) => TaskPrice;
}

/** Checks of the URLs of a request. */
export interface UrlChecks {
  readonly isAllowedImageUrl: (url: string) => boolean;
  readonly isAllowedWebhookUrl: (url: string) => boolean;
}

/** Dependencies of the offers. */
export interface OffersDeps extends UrlChecks {
  readonly feed: CatalogFeed;
  /** ENABLED_MODELS. */
  readonly enabledModels: readonly string[] | undefined;
  readonly providers: ProvidersWatch;
}

/** Time after which a request is repeated that workers of an earlier build could not draw. */
const UPGRADE_SECONDS = 30;

/** Creates the offers of a process. */
export function createOffers({ feed, enabledModels, providers, ...checks }: OffersDeps): Offers {
  let current: Offer | null = null;
  let revision = 0;
  const derive = ({ version, catalog }: ActiveCatalog): Offer => {
    if (current?.version === version) {
      return current;
    }
    const models = providers.selectDrawable(catalog, listEnabledModels(catalog, enabledModels));
    current = {
      version,
      models,
      instances: catalog.instances,
      parser: createRequestParser({ models, ...checks }),
      modelIds: [...catalog.models.keys()],
      defaultModel: catalog.defaultModel,
    };
    return current;
  };
  /** Forgets the current offer when the providers in use have changed. */
  const follow = async (): Promise<void> => {
    const latest = await providers.load();
    if (latest !== revision) {
      revision = latest;
      current = null;
    }
  };
  return {
    load: async () => {
      const [active] = await Promise.all([feed.load(), follow()]);
      return derive(active);
    },
    describe: async () => {
      const [active] = await Promise.all([feed.load().catch(() => null), follow()]);
      return derive(active ?? { version: 0, newestVersion: 0, catalog: readBuiltInCatalog() });
    },
    getPrice: (request) => {
      const active = feed.getActive();
      const price = getPrice({ ...active, models: derive(active).models }, request);
      const required = { ...readRequirements(request), quality: price.quality };
      const type = getTaskType(request);
      if (!providers.listDrawings().every((drawing) => isDrawn(drawing, type, required))) {
        throw new AppError('SERVICE_UNAVAILABLE', {
          message: 'a worker of an earlier build could not draw the request',
          publicMessage:
            'The gateway is being upgraded, and some fields of this request are not drawn until that is done. Repeat it in a moment.',
          retryAfterSeconds: UPGRADE_SECONDS,
        });
      }
      return price;
    },
  };
}
