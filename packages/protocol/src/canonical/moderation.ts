import type { Extras } from './dialect-id.ts';

/** A call that asks whether texts or pictures are harmful. Question and answer are the host's own, and are passed through. */
export type ModerateCall = {
  readonly operation: 'moderate';
  readonly model: string;
  /** For the gateway's own count alone. */
  readonly texts: readonly string[];
  readonly pictures: number;
  readonly extras: Extras;
};
