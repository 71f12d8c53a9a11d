/** What an actor gets that has died: it must do nothing more. */
export class Crash extends Error {
  constructor() {
    super('died');
    this.name = 'Crash';
  }
}
