/** A stored image of a task. */
export interface OutputRow {
  /** Position in the task's result, in the order of storing. */
  readonly index: number;
  /** Which of the asked images it is: the unit in which calls are counted. */
  readonly slot: number;
  readonly key: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  /** Of the stored bytes, in hexadecimal. */
  readonly sha256: string;
}
