import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import { generateSchema } from '@image-gateway/shared/task';
import { querySchemas } from '@image-gateway/shared/validation';
import { buildDocument } from '../../../apps/api/src/openapi.js';
import { customerRoutes } from '../../../apps/api/src/routes.js';

/** A schema of the document, as far as the types of the clients need it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | null)[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  // eslint-disable-next-line style/plain-names -- keywords of JSON Schema
  readonly oneOf?: readonly Schema[];
  // eslint-disable-next-line style/plain-names -- keywords of JSON Schema
  readonly anyOf?: readonly Schema[];
}

/** Named schemas. */
export type Schemas = Readonly<Record<string, Schema>>;

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
  readonly components: { readonly schemas: Schemas };
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Schema;
}

/** Lists that the clients read page by page, in one format. */
const QUERIES = {
  TasksQuery: '/v1/tasks',
  UsageQuery: '/v1/usage',
  UsageSummaryQuery: '/v1/usage/summary',
} as const;
const OF_THE_CLIENT = ['page', 'format'];

/** Returns the schemas of the API and of its queries, without those of the facade. */
export function describeSchemas(): Schemas {
  const models = [...readBuiltInCatalog().models.values()];
  const isAllowed = () => true;
  const urls = { baseUrl: 'http://localhost:3000', fileUrl: 'http://localhost:3000/files', accept: {} };
  const document = buildDocument({
    ...urls,
    // Routes need their dependencies once they are called.
    routes: customerRoutes(urls as never),
    schema: generateSchema({ models, isAllowedImageUrl: isAllowed, isAllowedWebhookUrl: isAllowed }),
    queries: querySchemas({ models: models.map(({ id }) => id) }),
  });
  const { paths, components } = JSON.parse(JSON.stringify(document)) as Document;
  const queries = Object.entries(QUERIES).map(([name, path]): [string, Schema] => {
    const parameters = paths[path]?.get?.parameters ?? [];
    const fields = parameters.filter((one) => one.in === 'query' && !OF_THE_CLIENT.includes(one.name));
    const properties = fields.map(({ name: field, description, schema }) => [
      field,
      { ...schema, description },
    ]);
    return [name, { type: 'object', properties: Object.fromEntries(properties) as Record<string, Schema> }];
  });
  // The clients turn errors into exceptions.
  const answers = Object.entries(components.schemas).filter(([name]) => !name.startsWith('Error'));
  return Object.fromEntries([...answers, ...queries]);
}
