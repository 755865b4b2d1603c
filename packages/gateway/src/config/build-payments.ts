// From `payments` in the file to the secrets that verify signed events.

import type { Building } from './building.ts';
import type { PaymentsData } from './schema-money.ts';

const MIN_SECRET_LENGTH = 16;

export const buildPayments = (data: PaymentsData, building: Building): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(data).map(([provider, { secrets }]) => [
      provider,
      secrets.flatMap((text, index) => {
        const path = ['payments', provider, 'secrets', index];
        const secret = building.secret(text, path);
        if (secret !== undefined && secret.length < MIN_SECRET_LENGTH)
          building.report(path, `must have at least ${MIN_SECRET_LENGTH} characters`);
        return secret ?? [];
      }),
    ]),
  );
