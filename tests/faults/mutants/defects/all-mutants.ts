import type { Mutant } from '../mutant.js';
import { catalogMutants } from './catalog-mutants.js';
import { ceilingMutants } from './ceiling-mutants.js';
import { checkMutants } from './check-mutants.js';
import { claimMutants } from './claim-mutants.js';
import { clientMutants } from './client-mutants.js';
import { deployMutants } from './deploy-mutants.js';
import { doorMutants } from './door-mutants.js';
import { facadeMutants } from './facade-mutants.js';
import { fieldMutants } from './field-mutants.js';
import { imageMutants } from './image-mutants.js';
import { limitMutants } from './limit-mutants.js';
import { mcpMutants } from './mcp-mutants.js';
import { needMutants } from './need-mutants.js';
import { outboundMutants } from './outbound-mutants.js';
import { playgroundMutants } from './playground-mutants.js';
import { providerMutants } from './provider-mutants.js';
import { readMutants } from './read-mutants.js';
import { routeMutants } from './route-mutants.js';
import { serviceMutants } from './service-mutants.js';
import { specificationMutants } from './specification-mutants.js';
import { spendMutants } from './spend-mutants.js';
import { sqlMutants } from './sql-mutants.js';
import { submitMutants } from './submit-mutants.js';
import { taskMutants } from './task-mutants.js';
import { uploadMutants } from './upload-mutants.js';
import { webhookMutants } from './webhook-mutants.js';
import { workerMutants } from './worker-mutants.js';

/** Every deliberate defect. */
export const MUTANTS: readonly Mutant[] = [
  ...sqlMutants,
  ...submitMutants,
  ...facadeMutants,
  ...uploadMutants,
  ...mcpMutants,
  ...clientMutants,
  ...webhookMutants,
  ...workerMutants,
  ...taskMutants,
  ...outboundMutants,
  ...claimMutants,
  ...fieldMutants,
  ...playgroundMutants,
  ...providerMutants,
  ...imageMutants,
  ...limitMutants,
  ...doorMutants,
  ...spendMutants,
  ...ceilingMutants,
  ...needMutants,
  ...checkMutants,
  ...readMutants,
  ...routeMutants,
  ...catalogMutants,
  ...deployMutants,
  ...serviceMutants,
  ...specificationMutants,
];
