/** Route of a catalog as far as its protocol is concerned. */
export interface ProtocolRoute {
  readonly model: string;
  readonly types: readonly string[];
  readonly maxInputs: number;
  /** Null: what the protocol takes. */
  readonly maxImagesPerCall: number | null;
  readonly options: Readonly<Record<string, unknown>>;
  readonly resolution: 'sent' | 'fixed';
}

/** Fault of a route, with the path of the field below the route. */
export interface RouteFault {
  readonly field: string;
  readonly message: string;
}
