import type { TaskPrice } from '@image-gateway/shared/billing';
import {
  type Catalog,
  type CatalogModel,
  listEnabledModels,
  readBuiltInCatalog,
} from '@image-gateway/shared/catalog/document';
import type { GenerateRequest } from '@image-gateway/shared/contract';
import type { ActiveCatalog, CatalogFeed } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { createRequestParser, type RequestParser } from '@image-gateway/shared/task';

/** Models on offer by one version of the catalog. */
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
  /** Prices a request by the active catalog; throws AppError `VALIDATION_ERROR` when it no longer offers it. */
  readonly getPrice: (request: GenerateRequest) => TaskPrice;
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
}

/** Creates the offers of a process. */
export function createOffers({ feed, enabledModels, ...checks }: OffersDeps): Offers {
  let current: Offer | null = null;
  const derive = ({ version, catalog }: ActiveCatalog): Offer => {
    if (current?.version === version) {
      return current;
    }
    const models = listEnabledModels(catalog, enabledModels);
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
  return {
    load: async () => derive(await feed.load()),
    describe: async () => {
      const active = await feed.load().catch(() => null);
      return derive(active ?? { version: 0, newestVersion: 0, catalog: readBuiltInCatalog() });
    },
    getPrice: ({ model: id, resolution }) => {
      const active = feed.getActive();
      const model = derive(active).models.find((one) => one.id === id);
      const unitMicros = model?.priceMicros[resolution];
      if (unitMicros === undefined) {
        throw new AppError('VALIDATION_ERROR', {
          publicMessage: `model ${id} is no longer offered at ${resolution}.`,
        });
      }
      return { unitMicros, catalogVersion: active.version, newestVersion: active.newestVersion };
    },
  };
}
