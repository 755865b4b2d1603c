/** POST to an address that an operator has configured, private ones included. Redirects are not followed. */
import { dialer } from './dialer.ts';
import { askOnce, type OneRequest, type OpenAnswer } from './one-request.ts';

export const operatorPost = (
  url: string,
  request: Omit<OneRequest, 'method'>,
  connectMs: number,
  ca: readonly string[],
): Promise<OpenAnswer> =>
  askOnce(new URL(url), { method: 'POST', ...request }, dialer({ by: 'operator' }, { connectMs, ca }));
