import { callHttp } from '../load/http-client.js';

/** A task as the API tells it. */
export interface ToldTask {
  readonly id: string;
  readonly status: string;
  readonly cost: string;
  readonly output?: { readonly url?: string; readonly urls?: readonly string[] };
  readonly error?: string;
}

const PER_PAGE = 100;

/** Reads all tasks of an account through the API, page by page. */
export async function readTold(url: string, apiKey: string): Promise<Map<string, ToldTask>> {
  const told = new Map<string, ToldTask>();
  for (let page = 1; ; page += 1) {
    const answer = await callHttp({
      url: `${url}/v1/tasks?per_page=${PER_PAGE}&page=${page}`,
      headers: { authorization: `Bearer ${apiKey}` },
    });
    if (answer.status !== 200) {
      throw new Error(`GET /v1/tasks answers ${answer.status}: ${answer.body}`);
    }
    const { data } = JSON.parse(answer.body.toString()) as {
      data: { items: ToldTask[]; pagination: { total_pages: number } };
    };
    for (const task of data.items) {
      told.set(task.id, task);
    }
    if (page >= data.pagination.total_pages) {
      return told;
    }
  }
}
