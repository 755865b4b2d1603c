/**
 * `npm run state:clients [-- --only javascript,openai_agents]`: official clients and frameworks use stored responses, conversations and responses in the background, on
 * two nodes with one database, over hosts of every format. The last line is JSON.
 */
import { parseArgs } from 'node:util';
import { freshDatabase } from '../../tests/support/database.ts';
import { CHECKS, HOSTS, openStoredStand } from '../../tests/support/stored-checks.ts';
import { BACKGROUND, type Place } from './openai-js.ts';
import { installed, PROGRAMS, verdictsOf } from './programs.ts';
import { startReceiver } from './receiver.ts';

const JAVASCRIPT = 'javascript';
const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = values.only?.split(',') ?? [JAVASCRIPT, ...PROGRAMS];

let checks = 0;
const failed: { readonly name: string; readonly problem: string }[] = [];
function judged(name: string, problem: string | null): void {
  checks++;
  if (problem !== null) failed.push({ name, problem });
  process.stdout.write(problem === null ? `ok      ${name}\n` : `failed  ${name}: ${problem}\n`);
}
const judge = (name: string, work: Promise<void>): Promise<void> =>
  work.then(
    () => judged(name, null),
    (error: unknown) => judged(name, String(error)),
  );

const python = await installed();
const receiver = await startReceiver();
const database = await freshDatabase();
const webhooks = { schemes: ['http'], ports: [receiver.port], alsoAddresses: ['127.0.0.1'], lookEveryMs: 20 };
const stand = await openStoredStand({ webhooks }, database);
const other = await openStoredStand({ webhooks }, database);
try {
  const { secret } = await stand.newAccount('clients');
  const { json } = await stand.admin('POST', '/accounts/clients/webhooks', {
    url: `${receiver.url}/hook`,
    events: ['response.completed', 'response.cancelled', 'response.failed'],
  });
  const place: Place = {
    urls: [stand.chatUrl, other.chatUrl],
    secret,
    webhookSecret: String(json['secret']),
    receiverUrl: receiver.url,
  };
  if (chosen.includes(JAVASCRIPT)) {
    for (const { name, run } of CHECKS) await judge(name, run(stand, secret));
    for (const { name, run } of BACKGROUND) await judge(name, run(place));
  }
  const env = {
    TRIVIUM_URLS: place.urls.join(','),
    TRIVIUM_API_KEY: secret,
    TRIVIUM_WEBHOOK_SECRET: place.webhookSecret,
    TRIVIUM_RECEIVER_URL: receiver.url,
    TRIVIUM_SIMULATOR_URL: stand.simulator.url,
    TRIVIUM_HOSTS: JSON.stringify(HOSTS),
  };
  for (const program of chosen.filter((name) => name !== JAVASCRIPT))
    for await (const { name, problem } of verdictsOf(python, program, env)) judged(name, problem);
} finally {
  await other.close();
  await stand.close();
  await database.drop();
  receiver.close();
}
const ok = failed.length === 0 && checks > 0;
process.stdout.write(`${JSON.stringify({ ok, checks, hosts: Object.keys(HOSTS).length, failed })}\n`);
process.exitCode = ok ? 0 : 1;
