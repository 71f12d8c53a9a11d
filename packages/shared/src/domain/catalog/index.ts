export { getTaskType } from './get-task-type.js';
