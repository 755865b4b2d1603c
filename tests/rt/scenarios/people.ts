/** Everyone renews at nine o'clock: people who are signed in from programs, and an identity provider that is asked for each of them. */
import { Client } from 'pg';
import { choosePorts } from '../../../bench/ports.ts';
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { loadFor, percentile, rounded, succeeded } from '../parts/load.ts';
import { newAccount } from '../parts/operator.ts';
import { residentBytes } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { signInPeople } from '../people/fill.ts';
import { openStubIssuer } from '../people/stub-issuer.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly people: number; readonly seconds: number };

const [ACCOUNT, GROUP] = ['company', 'everyone'];
const VAULT_KEY = 'vault-key-0123456789abcdefghijklmnopqrstuvwxyz';
const MB = 2 ** 20;
/** Of memory that stays, for each person: a cached token and what the process keeps beside it. */
const MOST_KB_EACH = 40;

const renew = ({ url }: GatewayProcess, token: string): Promise<Reply> =>
  ask({
    url,
    path: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: 'trivium-cli',
    }).toString(),
    limitMs: 30_000,
  });

const shownFailure = (reply: Reply | undefined): string | null =>
  reply === undefined ? null : `${reply.status} ${reply.failure ?? reply.text.slice(0, 200)}`;

async function play({ people, seconds }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const issuer = await openStubIssuer(GROUP);
  stage.atEnd(async () => issuer.close());
  const [port = 0, adminPort = 0] = await choosePorts(2, undefined);
  const url = `http://127.0.0.1:${port}`;
  const hosts = chatHosts({ east: await stage.simulator() });
  const gateway = await stage.gateway(
    {
      ...hosts,
      database: { url: database.url },
      secrets: { keys: [VAULT_KEY] },
      listen: { host: '127.0.0.1', port, publicUrl: url },
      signIn: {
        issuers: {
          corp: {
            name: 'Corp',
            issuer: issuer.url,
            clientId: 'trivium',
            clientSecret: 'secret-of-the-client',
            grants: [{ group: GROUP, account: ACCOUNT, role: 'developer' }],
          },
        },
        programs: {},
      },
    },
    { name: 'people', at: { url, adminUrl: `http://127.0.0.1:${adminPort}` } },
  );
  await newAccount(gateway, ACCOUNT);
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  stage.atEnd(() => owner.end());
  const tokens = await signInPeople(owner, ACCOUNT, people, issuer, VAULT_KEY);
  stage.say(`${people} people are signed in`);
  const pid = gateway.child.process.pid!;
  const before = residentBytes(pid);
  const answers = new Map<number, Reply>();
  const shots = await loadFor(seconds * 1000, people / seconds, async (index) => {
    const token = tokens[index];
    // The last tick may be due a little late: nobody renews twice.
    if (token === undefined) return { ...(answers.values().next().value as Reply) };
    const reply = await renew(gateway, token);
    answers.set(index, reply);
    return reply;
  });
  const missing = tokens.map((_, index) => index).filter((index) => !answers.has(index));
  for (const index of missing) answers.set(index, await renew(gateway, tokens[index]!));
  const renewed = [...answers.values()];
  const failed = renewed.filter(({ status }) => status !== 200);
  const access = renewed.flatMap(({ status, text }) =>
    status === 200 ? [(JSON.parse(text) as { access_token: string }).access_token] : [],
  );
  stage.say(`${renewed.length} have renewed, ${failed.length} have not`);
  const calls = await loadFor(seconds * 1000, people / seconds, (index) =>
    ask({
      ...chatQuestion(gateway.url, MODEL),
      headers: { authorization: `Bearer ${access[index % access.length] ?? ''}` },
    }),
  );
  const failedCalls = calls.filter((shot) => !succeeded(shot));
  const kbEach = (residentBytes(pid) - before) / 1024 / people;
  const latencies = shots.map(({ latencyMs }) => latencyMs);
  return {
    figures: {
      people,
      seconds,
      renewed: renewed.length - failed.length,
      failed: failed.length,
      firstFailure: shownFailure(failed[0]),
      renewalMedianMs: rounded(percentile(latencies, 0.5), 0),
      renewal99Ms: rounded(percentile(latencies, 0.99), 0),
      calls: calls.length,
      firstFailedCall: shownFailure(failedCalls[0]),
      residentBeforeMb: rounded(before / MB, 0),
      residentKbEach: rounded(kbEach, 1),
      provenByIssuer: issuer.counts.proven,
    },
    checks: [
      exactly('renewals that failed', failed.length, 0),
      exactly('refresh tokens that the identity provider saw twice', issuer.counts.refused, 0),
      exactly('people whom it has proven', issuer.counts.proven, people),
      exactly('calls with renewed tokens that failed', failedCalls.length, 0),
      // A process that has just started also grows for other reasons: a few people do not tell.
      ...(people >= 1000 ? [atMost('KB of memory for each', rounded(kbEach, 1), MOST_KB_EACH)] : []),
    ],
  };
}

export const people = scenario<Parameters>({
  name: 'people',
  shows: '5,000 people who are signed in from programs renew within a minute without an error',
  short: { people: 300, seconds: 6 },
  full: { people: 5000, seconds: 60 },
  run: play,
});
