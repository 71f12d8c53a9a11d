/** Writes lines, those of one turn of the event loop together. */
export interface TurnWriter {
  readonly add: (line: string) => void;
  /** Writes at once what was added. */
  readonly flush: () => void;
}

/** Makes a writer: a system call a line would cost a busy process more than making the line does. */
export function createTurnWriter(write: (text: string) => unknown): TurnWriter {
  let text = '';
  const flush = (): void => {
    if (text === '') return;
    const lines = text;
    text = '';
    write(lines);
  };
  return {
    add: (line) => {
      if (text === '') setImmediate(flush);
      text += `${line}\n`;
    },
    flush,
  };
}
