// fal's credential: the scheme `Key` instead of `Bearer`.

import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import type { DialectOptions } from '../dialect.ts';
import { isAccepted } from '../judgement.ts';

export function isWelcomeWithKey({ headers }: VendorRequest, options: DialectOptions): boolean {
  const key = /^Key +(.+)$/u.exec(headerText(headers.authorization))?.[1] ?? '';
  return key !== '' && isAccepted(key, options);
}
