/** The key of an image in the store: `images/<task>/<index>.<extension>`, the same as the path of its URL. */
export function keyOfImage(taskId: string, index: number, extension: string): string {
  return `${prefixOfTask(taskId)}${index}.${extension}`;
}

/** What the keys of all images of a task begin with. */
export function prefixOfTask(taskId: string): string {
  return `images/${taskId}/`;
}
