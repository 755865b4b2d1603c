/** The certificate authorities of TLS connections: those Node trusts, and those the operator adds. */
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/** Parsing all authorities takes milliseconds: once per list, not per connection. */
const contexts = new WeakMap<readonly string[], SecureContext>();

/** Options for a TLS connection; empty if nothing is added. */
export function trusting(ca: readonly string[]): { readonly secureContext?: SecureContext } {
  if (ca.length === 0) return {};
  const known = contexts.get(ca);
  if (known !== undefined) return { secureContext: known };
  // Passing authorities to Node replaces its own, so both lists are passed.
  const secureContext = createSecureContext({ ca: [...getCACertificates('default'), ...ca] });
  contexts.set(ca, secureContext);
  return { secureContext };
}
