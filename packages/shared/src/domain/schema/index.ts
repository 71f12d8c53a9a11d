export * from './inputs.js';
export * from './shape.js';
export * from './values.js';
