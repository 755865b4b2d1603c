/** A complete answer: the result of folding a stream. */
import type { Block } from './content.ts';
import type { Extras } from './dialect-id.ts';
import type { Finish } from './events.ts';
import type { Usage } from './usage.ts';

export type Candidate = { readonly blocks: readonly Block[]; readonly finish: Finish; readonly extras?: Extras };

export type TextAnswer = {
  readonly id: string;
  readonly model: string;
  readonly createdAtSeconds?: number;
  readonly candidates: readonly Candidate[];
  /** Present when the prompt itself was refused, so that there is no candidate. */
  readonly promptBlocked?: { readonly reason: string; readonly message?: string; readonly extras?: Extras };
  readonly usage: Usage;
};
