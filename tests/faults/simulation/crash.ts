/** Error that a crashed actor gets from its steps: it must do nothing more. */
export class Crash extends Error {
  constructor() {
    super('died');
    this.name = 'Crash';
  }
}
