export { BUILT_IN_DOCUMENT } from './built-in-document.js';
export type { Amounts, Catalog, CatalogModel, CatalogRoute, ProviderInstance, TokenCost } from './catalog.js';
export { type CatalogFault, formatFault } from './catalog-fault.js';
export {
  type CheckedDocument,
  checkDocument,
  checkForPrevious,
  readBuiltInCatalog,
  readStoredDocument,
} from './check-document.js';
export type { CatalogDocument, RouteEntry } from './document-schema.js';
export { documentSchema } from './document-schema.js';
export {
  addModel,
  editModels,
  keepProviders,
  type ModelEdit,
  type RouteEdit,
  removeProviders,
} from './edit-document.js';
export { findCheapestCost, findLosses, isSandbox } from './find-losses.js';
export * from './find-model-routes.js';
export { findKeptFaults } from './find-protocol-faults.js';
export { type DocumentNames, findUnreadable, intersectNames, listDocumentNames } from './find-unreadable.js';
export type { MergedDocument } from './merge-documents.js';
export {
  drawPurchase,
  findPurchase,
  getCostMicros,
  getPriceMicros,
  listOffers,
  listQualities,
  listResolutions,
} from './prices.js';
export { findTrialRoute, listRouteModels, type TrialRoute } from './provider-routes.js';
export { findRetirements, listEndings, type StatedEnd, withStatedEnds } from './retirements.js';
export {
  configureInstance,
  listKeyFaults,
  listProvidersInUse,
  type ProvidersInUse,
  selectRoutes,
} from './select-routes.js';
export {
  describeKeySources,
  getKeyVariable,
  type KeySource,
  locateProvider,
  mergeStoredKeys,
  type OpenedKeys,
  openStoredKeys,
  type ProviderPlace,
  readWithStoredKeys,
} from './stored-keys.js';
