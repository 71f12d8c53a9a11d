export * from './fields.js';
export * from './shape.js';
export * from './values.js';
