/** Does a refusal say that the upstream could not read its own opaque state? Each dialect lists the words for that as data. */
import type { Fault } from '../canonical/fault.ts';

/** By the upstream's code, or by its words where it has no code for it. Never a bare "signature": requests are signed, too. */
export type SealRefusal = { readonly code: string } | { readonly message: RegExp };

export const refusesSeals = (refusals: readonly SealRefusal[], { kind, code, message }: Fault): boolean =>
  kind === 'refused' &&
  refusals.some((refusal) => ('code' in refusal ? refusal.code === code : refusal.message.test(message)));
