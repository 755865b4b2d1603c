// fal's credential: the scheme `Key` instead of `Bearer`.
import type { DialectOptions, VendorRequest } from '../dialect.ts';
import { headerText, isAccepted } from '../judgement.ts';

export function isWelcomeWithKey({ headers }: VendorRequest, options: DialectOptions): boolean {
  const key = /^Key +(.+)$/u.exec(headerText(headers.authorization))?.[1] ?? '';
  return key !== '' && isAccepted(key, options);
}
