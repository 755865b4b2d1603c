/** Whom TLS connections trust: the authorities that Node trusts, and those the operator adds to them. */
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/** Reading all authorities takes milliseconds: once for each list, not for each connection. */
const contexts = new WeakMap<readonly string[], SecureContext>();

/** What a TLS connection is opened with; nothing of its own where nothing is added. */
export function trusting(ca: readonly string[]): { readonly secureContext?: SecureContext } {
  if (ca.length === 0) return {};
  const known = contexts.get(ca);
  if (known !== undefined) return { secureContext: known };
  // Naming authorities to Node replaces its own.
  const secureContext = createSecureContext({ ca: [...getCACertificates('default'), ...ca] });
  contexts.set(ca, secureContext);
  return { secureContext };
}
