/** The address of a destination, as it is sealed, and how it is shown. */
import { AdminProblem } from '../api/problem.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';
import type { DestinationKind } from './bodies.ts';
import type { DestinationAddress } from './destination-rows.ts';

type Given = { readonly kind: DestinationKind; readonly url?: string; readonly to?: readonly string[] };

/** The destination's address, and how it is shown. */
export function addressOf(
  { kind, url, to }: Given,
  hasMail: boolean,
): { readonly address: DestinationAddress; readonly shown: string } {
  if (kind === 'mail') {
    if (to === undefined) throw new AdminProblem('invalid', 'is missing', 'to');
    if (url !== undefined) throw new AdminProblem('invalid', 'is not used with the kind mail', 'url');
    if (!hasMail) throw new AdminProblem('conflict', 'alerts.smtp is not configured, so no mail can be sent.');
    return { address: { to }, shown: to.join(', ') };
  }
  if (to !== undefined) throw new AdminProblem('invalid', 'is used with the kind mail only', 'to');
  if (url === undefined) throw new AdminProblem('invalid', 'is missing', 'url');
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol) || parsed.username !== '')
    throw new AdminProblem('invalid', 'must be an http or https URL without credentials', 'url');
  return { address: { url, ...(kind === 'webhook' && { secret: newWebhookSecret() }) }, shown: parsed.host };
}
