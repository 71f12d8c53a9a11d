export { type CatalogModel, MODELS } from './models.js';
export { type Price, priceOf } from './price-of.js';
export { typeOf } from './type-of.js';
