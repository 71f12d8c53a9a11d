import type { Loader } from '../load/create-loader.js';
import type { Services } from './services.js';

/** What every scene of the bench works with. */
export interface Bench {
  readonly root: string;
  /** For logs and profiles. */
  readonly folder: string;
  readonly services: Services;
  readonly loader: Loader;
  /** Length of a round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Seconds before the first round: the engine goes on making the product's code faster for that long, bare Express has little that could be made so. */
  readonly warmUp: number;
  readonly connections: number;
  readonly say: (line: string) => void;
  /** Options of node for the product's processes, such as `--cpu-prof`. */
  readonly nodeArgs: readonly string[];
  readonly flag: (name: string) => string | undefined;
}
