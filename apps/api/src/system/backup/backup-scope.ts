/** Settings and places that a backup or a restore works with, and receivers of its progress. */
export interface BackupScope {
  /** Settings: the environment, completed by what `npm start` runs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Root folder of the project. */
  readonly projectDir: string;
  /** Folder in which `npm start` keeps everything. */
  readonly dataDir: string;
  /** Database that `npm start` says it runs. */
  readonly running: { readonly url?: string; readonly pid?: number };
  /** Shows a line. */
  readonly report: (line: string) => void;
  /** Shows a line about progress, unless one was shown shortly before. */
  readonly progress: (render: () => string) => void;
  /** Aborted when the work is to end and leave nothing. */
  readonly signal: AbortSignal;
}
