/**
 * Does a refusal mean that the upstream could not read its own opaque state? Each dialect lists the matching errors as
 * data.
 */
import type { Fault } from '../canonical/fault.ts';

/**
 * Matched by the upstream's code, or by its message if it has no code. Never a bare "signature": requests are signed,
 * too.
 */
export type SealRefusal = { readonly code: string } | { readonly message: RegExp };

export const refusesSeals = (refusals: readonly SealRefusal[], { kind, code, message }: Fault): boolean =>
  kind === 'refused' &&
  refusals.some((refusal) => ('code' in refusal ? refusal.code === code : refusal.message.test(message)));
