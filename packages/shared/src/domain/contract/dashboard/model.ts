import type { AspectRatio, Resolution } from '../limits.js';
import type { TaskType } from '../task.js';

/** Dollars an image, or dollars an image by quality. */
export type DollarsByQuality = string | Readonly<Record<string, string>>;

/** Price of a model at a resolution, compared with the cheapest route in use. Money in dollars an image. */
interface ModelPrice {
  readonly resolution: string;
  /** Null for a plain price. */
  readonly quality: string | null;
  readonly price: string;
  /** Null where no route in use has a cost; the sandbox has none. */
  readonly cost: string | null;
  /** Provider and upstream model of the cheapest route. */
  readonly cheapest: string | null;
  /** Negative when it is sold below cost. */
  readonly margin: string | null;
}

/** Route of a model, and how the generation workers see it. */
export interface ModelRoute {
  readonly provider: string;
  readonly model: string;
  /** By resolution. */
  readonly cost: Readonly<Record<string, DollarsByQuality>>;
  readonly in_use: boolean;
  /** Worst state in any worker; null while none has reported it. */
  readonly circuit: string | null;
  /** Accounts that it is closed to because their own calls failed; most of them in any worker. */
  readonly accounts_paused: number;
  readonly paused_seconds: number;
  readonly set_aside: boolean;
  readonly running: number;
}

/** Model of the active catalog version. */
export interface ModelItem {
  readonly id: string;
  readonly name: string;
  readonly family: string | null;
  readonly types: readonly string[];
  /** Switch of the document. */
  readonly enabled: boolean;
  /** True if customers can use it: by ENABLED_MODELS where that is set, else by the switch. */
  readonly is_offered: boolean;
  /** True if it is switched on, and not on offer until a provider in use can draw it. */
  readonly waits_for_key: boolean;
  /** True if only the sandbox draws it: customers pay for test images. */
  readonly is_sandbox: boolean;
  readonly prices: readonly ModelPrice[];
  readonly routes: readonly ModelRoute[];
}

/** Fault, warning or change of a document, by its path. */
export interface DocumentNote {
  readonly path: string;
  readonly message: string;
}

/** Version of the catalog. */
interface CatalogVersionItem {
  readonly version: number;
  readonly origin: string;
  readonly note: string | null;
  readonly created_by: string | null;
  readonly created_at: string;
}

/** Catalog as operators see it. */
export interface ModelsView {
  readonly version: number;
  /** Reason why the newest version cannot be read; null when it is active. */
  readonly unreadable: string | null;
  /** ENABLED_MODELS; null where the switches of the document decide. */
  readonly enabled_models: readonly string[] | null;
  /** Providers that a generation worker reports, or those that the API is configured with while none does. */
  readonly providers_in_use: readonly string[];
  readonly models: readonly ModelItem[];
  readonly warnings: readonly DocumentNote[];
  /** Text of the operator's document without `providers`. */
  readonly source: string;
  /** The newest ones. */
  readonly versions: readonly CatalogVersionItem[];
}

/** Money of a model in the last days. */
export interface ModelMargin {
  readonly model: string;
  readonly images: number;
  /** Charged, without refunds. */
  readonly revenue: string;
  /** Upstream cost of all calls for its tasks. */
  readonly cost: string;
  readonly margin: string;
  /** Of its tasks with prices by quality, from the lowest quality; absent without such tasks. */
  readonly qualities?: readonly (Omit<ModelMargin, 'model' | 'qualities'> & { readonly quality: string })[];
}

/** Result of a check: faults, or warnings and the difference to the active version. */
export interface CheckedDocumentView {
  readonly faults: readonly DocumentNote[];
  readonly warnings: readonly DocumentNote[];
  readonly changes: readonly DocumentNote[];
}

/** New model in the form, with one route. */
export interface ModelDraft {
  readonly id: string;
  /** Null: the id. */
  readonly name: string | null;
  readonly provider: string;
  /** Name of the model at the provider. */
  readonly model: string;
  readonly types: readonly TaskType[];
  readonly aspect_ratios: readonly AspectRatio[];
  /** Null without edits. */
  readonly max_inputs: number | null;
  /** Field of the provider's request for input images; null: that of the protocol. */
  readonly image_field: string | null;
  /** True for a provider that draws one size. */
  readonly is_fixed: boolean;
  /** Dollars an image by resolution. */
  readonly price: Readonly<Partial<Record<Resolution, string>>>;
  readonly cost: Readonly<Partial<Record<Resolution, string>>>;
}

/** Document with a new model, to be checked and applied. */
export interface ModelDraftView {
  /** Version that it is made from. */
  readonly from: number;
  /** Without `providers`. */
  readonly source: string;
  /** Lines of the new model. */
  readonly lines: string;
}

/** Change of a model in the form. */
export interface ModelChange {
  readonly id: string;
  readonly enabled: boolean;
  /** By resolution. */
  readonly price: Readonly<Record<string, DollarsByQuality>>;
}
