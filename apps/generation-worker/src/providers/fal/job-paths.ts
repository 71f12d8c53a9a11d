/** Where a job of the queue is asked about, as paths below the API's base URL. */
export interface JobPaths {
  readonly status: string;
  readonly result: string;
  readonly cancel: string;
}
