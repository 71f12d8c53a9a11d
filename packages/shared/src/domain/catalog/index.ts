export { getTaskType } from './get-task-type.js';
export { type CatalogModel, MODELS } from './models.js';
