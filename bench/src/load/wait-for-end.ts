import http from 'node:http';

/** Waiting request: the path of a task with `wait`, and the key of its owner. */
export interface Waiter {
  readonly id: string;
  readonly apiKey: string;
}

/** Asks with `?wait=55` until a task has ended, on one connection. Returns the time of the last answer, in milliseconds since 1970. */
export async function waitForEnd(url: string, waiter: Waiter, agent: http.Agent): Promise<number> {
  for (;;) {
    const text = await get(`${url}/v1/tasks/${waiter.id}?wait=55`, waiter.apiKey, agent);
    if (!text.includes('"status":"pending"')) {
      return Date.now();
    }
  }
}

function get(url: string, apiKey: string, agent: http.Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent, headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}: ${text}`)),
      );
    });
    request.on('error', reject);
  });
}
