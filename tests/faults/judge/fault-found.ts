/** Something that must never happen and did. */
export class FaultFound extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'FaultFound';
  }
}
