// Stored responses and conversations, as the official OpenAI SDK and Vercel's provider with its defaults use them.
import { afterAll, beforeAll, test } from 'vitest';
import type { AdminStand } from '../support/admin-stand.ts';
import { CHECKS, openStoredStand } from '../support/stored-checks.ts';

let stand: AdminStand;
let secret: string;
beforeAll(async () => {
  stand = await openStoredStand();
  ({ secret } = await stand.newAccount('acme'));
});
afterAll(() => stand.close());

test.each(CHECKS)('$name', ({ run }) => run(stand, secret));
