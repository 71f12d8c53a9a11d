/** An object store under test: a process that the suite may stop, kill and start again. */
export interface RunningStore {
  readonly url: string;
  /** There from the start. */
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The key that may make buckets, where the other one may not. */
  readonly root?: { readonly accessKey: string; readonly secretKey: string };
  start(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Store that the parts of the suite share; it runs from the first test to the last. */
export interface StoreUnderTest {
  running(): RunningStore;
}
