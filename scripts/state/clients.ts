/**
 * `npm run state:clients`: official clients use stored responses and conversations of a gateway with a database, over hosts of every
 * format. The last line is JSON.
 */
import { CHECKS, openStoredStand } from '../../tests/support/stored-checks.ts';

const stand = await openStoredStand();
const failed: { readonly name: string; readonly problem: string }[] = [];
try {
  const { secret } = await stand.newAccount('clients');
  for (const { name, run } of CHECKS)
    await run(stand, secret).then(
      () => process.stdout.write(`ok      ${name}\n`),
      (error: unknown) => {
        failed.push({ name, problem: String(error) });
        process.stdout.write(`failed  ${name}: ${String(error)}\n`);
      },
    );
} finally {
  await stand.close();
}
process.stdout.write(`${JSON.stringify({ ok: failed.length === 0, checks: CHECKS.length, failed })}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
