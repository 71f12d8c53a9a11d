import type { Loader } from '../load/create-loader.js';
import type { Score } from '../report/run.js';
import type { Services } from './services.js';

/** Services and options of a bench run, for its scenes. */
export interface Bench {
  readonly root: string;
  /** For logs and profiles. */
  readonly folder: string;
  readonly services: Services;
  readonly loader: Loader;
  /** Length of a round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Seconds before the first round. The engine optimises the product's code for that long; bare Express has little to optimise. */
  readonly warmUp: number;
  readonly connections: number;
  /** Leaves out what takes long and is not compared with recorded figures. */
  readonly isQuick: boolean;
  readonly say: (line: string) => void;
  /** Adds figures to the run, which `--record` keeps and `--guard` compares. */
  readonly score: (score: Score) => void;
  /** Options of node for the product's processes, such as `--cpu-prof`. */
  readonly nodeArgs: readonly string[];
  readonly flag: (name: string) => string | undefined;
}
