import path from 'node:path';
import { MODELS } from '@image-gateway/shared/catalog';
import { generateSchema, querySchemas } from '@image-gateway/shared/validation';
import { repositoryRoot } from '@image-gateway/testing';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { buildDashboardDocument } from '../../../src/dashboard/openapi/build-dashboard-document.js';

/** Where the generated types are kept. */
export const TYPES_FILE = path.join(
  repositoryRoot(),
  'packages/shared/src/domain/contract/dashboard/generated/dashboard-api.ts',
);

/** Generates the types of the dashboard's API from its OpenAPI document, as the text of a module. */
export async function generateTypes(): Promise<string> {
  const models = Object.keys(MODELS);
  const isAllowed = (): boolean => true;
  const document = buildDashboardDocument({
    generate: generateSchema({ models, isAllowedImageUrl: isAllowed, isAllowedWebhookUrl: isAllowed }),
    queries: querySchemas({ models }),
  });
  const syntax = await openapiTypescript(JSON.parse(JSON.stringify(document)) as never, {
    immutable: true,
    alphabetize: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    defaultNonNullable: false,
  });
  return `// Generated from the OpenAPI document of the dashboard's API by "pnpm dashboard:types".\n${astToString(syntax)}`;
}
