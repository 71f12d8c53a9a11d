/** Search part of the address of the playground. */
export interface PlaygroundSearch {
  /** Id of the task that is shown, and whose request is in the form when the page is opened. */
  readonly run?: string;
  /** Address of an image to edit. */
  readonly image?: string;
}

/** Reads the address of the playground. */
export function readPlaygroundSearch({ run, image }: Readonly<Record<string, unknown>>): PlaygroundSearch {
  return {
    ...(typeof run === 'string' && { run }),
    ...(typeof image === 'string' && { image }),
  };
}
