/** Why a studio cannot start, in words for a person: what is wrong, and what to do. */
export class StudioError extends Error {
  override readonly name = 'StudioError';

  constructor(
    readonly kind: 'data-folder' | 'already-running' | 'model' | 'gateway',
    message: string,
    readonly advice: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
