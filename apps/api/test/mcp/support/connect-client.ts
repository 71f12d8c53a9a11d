import type { TestAccount } from '@image-gateway/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestApi } from '../../support/start-api.js';

/** Content of a result, with everything that tests look at. */
export interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
}

/** Result of a tool. */
export interface ToolResult {
  readonly isError: boolean;
  readonly content: readonly Content[];
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Connected client, of whichever release of the official SDK. */
export type ToolClient = ReturnType<typeof wrap>;

/** Tool as a client sees it. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: object; readonly required?: readonly string[] };
  readonly outputSchema?: object;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

const info = { name: 'test', version: '1.0.0' };

/**
 * Releases of the official SDK whose clients are tried: the first, with a handshake, and the second, which names its revision
 * in each request.
 */
export const RELEASES = ['sdk 1', 'sdk 2'] as const;

/** Connects a client with the key of an account. */
export async function connectClient(
  api: Pick<TestApi, 'url'>,
  { apiKey }: Pick<TestAccount, 'apiKey'>,
  release: (typeof RELEASES)[number] = 'sdk 1',
): Promise<ToolClient> {
  const url = new URL(`${api.url}/mcp`);
  const options = { requestInit: { headers: { Authorization: `Bearer ${apiKey}` } } };
  if (release === 'sdk 1') {
    const client = new FirstClient(info);
    await client.connect(new FirstTransport(url, options));
    return wrap(client);
  }
  const client = new Client(info);
  await client.connect(new StreamableHTTPClientTransport(url, options));
  return wrap(client);
}

interface AnyClient {
  readonly listTools: () => Promise<unknown>;
  readonly callTool: (params: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function wrap(client: AnyClient) {
  return {
    listTools: async () => ((await client.listTools()) as { readonly tools: ListedTool[] }).tools,
    call: async (name: string, given: Record<string, unknown> = {}): Promise<ToolResult> => {
      const result = (await client.callTool({ name, arguments: given })) as Partial<ToolResult> & {
        readonly structuredContent?: ToolResult['value'];
      };
      const { content = [], isError = false, structuredContent: value = {} } = result;
      return { content, isError, value, text: content[0]?.text ?? '' };
    },
    close: () => client.close(),
  };
}
