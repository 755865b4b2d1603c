/**
 * A gateway is killed while recordings are uploaded, while its host listens, before it speaks and in the middle of its speech: what was
 * answered whole is charged exactly and once, a speech that had begun by an estimate of at most its price, and nothing stays set aside.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { freshDatabase } from '../../support/database.ts';
import { openSmallHost, type SmallHost, sayJson } from '../../support/passthrough-host.ts';
import { silence } from '../../support/sound-probe.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { keyFor, keysOf, Purser } from '../parts/money.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly kills: number };

const NANO = 1_000_000_000;
const WORDS = 'Three roads meet.';
const SECONDS = 2;
const [CHARACTER_USD, SECOND_USD] = ['0.00001', '0.0001'];
const SPEECH_NANO = BigInt(Math.round(WORDS.length * Number(CHARACTER_USD) * NANO));
const LISTENING_NANO = BigInt(Math.round(SECONDS * Number(SECOND_USD) * NANO));
/** Enough to hold recordings whose length a busy machine does not find in time. */
const CREDIT = 100n * BigInt(NANO);
/** Of each kind of call that a kill meets. */
const OF_EACH = 5;
const PATIENCE_MS = 30_000;
const SOUND = { 'content-type': 'audio/mpeg' };

const priced = (value: string, unit: string) => ({ audio: [{ value, unit, currency: 'USD' }] });
const at = (model: string, pricings: object) => [{ provider: 'small', upstreamModel: model, pricings }];
const MODELS = [
  {
    id: 'small/speaker',
    inputModalities: ['text'],
    outputModalities: ['speech'],
    endpoints: at('speaker', priced(CHARACTER_USD, 'perCount')),
  },
  {
    id: 'small/listener',
    inputModalities: ['audio'],
    outputModalities: ['transcription'],
    endpoints: at('listener', priced(SECOND_USD, 'perSecond')),
  },
];

/** Whether the answer came whole. */
type Call = Promise<boolean>;

const bearer = (account: string) => ({ authorization: `Bearer ${keyFor(account)}` });
const isWhole = (answer: Promise<Response>): Call =>
  answer.then(
    async (response) => response.ok && (await response.arrayBuffer()).byteLength > 0,
    () => false,
  );

const speak = ({ url }: GatewayProcess, account: string): Call =>
  isWhole(
    fetch(`${url}/api/v1/audio/speech`, {
      method: 'POST',
      headers: { ...bearer(account), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small/speaker', input: WORDS, voice: 'any' }),
    }),
  ).catch(() => false);

function listen({ url }: GatewayProcess, account: string): Call {
  const form = new FormData();
  form.append('model', 'small/listener');
  form.append('file', new Blob([new Uint8Array(silence(SECONDS))]), 'talk.wav');
  return isWhole(fetch(`${url}/api/v1/audio/transcriptions`, { method: 'POST', headers: bearer(account), body: form }));
}

/** A recording of which only the first half is sent. */
function upload({ url }: GatewayProcess, account: string): Call {
  const outgoing = request(`${url}/api/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { ...bearer(account), 'content-type': 'multipart/form-data; boundary=b' },
  });
  const field = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nsmall/listener\r\n';
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="talk.wav"\r\n\r\n';
  const sound = silence(SECONDS);
  outgoing.write(Buffer.concat([Buffer.from(field + file), sound.subarray(0, sound.length / 2)]));
  return once(outgoing, 'response').then(
    () => true,
    () => false,
  );
}

const answerWhole: SmallHost['answer'] = (response, { url }) => {
  if (url.endsWith('/transcriptions')) sayJson(response, { text: 'three roads', duration: SECONDS, segments: [] });
  else response.writeHead(200, SOUND).end(Buffer.alloc(5_000, 1));
};

/** Listens and speaks without an end; every second speech has begun. */
function neverEnding(): SmallHost['answer'] {
  let speeches = 0;
  return (response, { url }) => {
    if (url.endsWith('/speech') && speeches++ % 2 === 0) response.writeHead(200, SOUND).write(Buffer.alloc(5_000, 1));
  };
}

async function play({ kills }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  const host = await openSmallHost();
  stage.atEnd(() => host.close());
  const accounts = Array.from({ length: kills }, (_, round) => `killed-${round}`);
  for (const account of accounts) await purser.open(account, CREDIT);
  const config = {
    providers: { small: { dialect: 'openai-chat', baseUrl: host.url, credential: 'sk-upstream-rt' } },
    models: MODELS,
    keys: keysOf(accounts),
    database: { url: database.url },
    ledger: { journal: `${stage.folder}/journal` },
  };
  let gateway = await stage.gateway(config);
  let [answered, cut, estimated, wrong, leftOpen] = [0, 0, 0, 0, 0];
  for (const account of accounts) {
    host.answer = answerWhole;
    const whole = await Promise.all([speak(gateway, account), listen(gateway, account)]);
    const before = host.seen.length;
    host.answer = neverEnding();
    const calls = Array.from({ length: OF_EACH }, () => [
      upload(gateway, account),
      listen(gateway, account),
      speak(gateway, account),
      speak(gateway, account),
    ]).flat();
    await waitFor('calls are at the host', () => host.seen.length - before === 3 * OF_EACH, PATIENCE_MS);
    await waitFor(
      'uploads are at the gateway',
      async () => (await gateway.metric('trivium_requests_in_flight')) === calls.length,
      PATIENCE_MS,
    );
    const { pid = 0 } = gateway.child.process;
    gateway.child.process.kill('SIGKILL');
    cut += (await Promise.all(calls)).filter((ended) => !ended).length;
    gateway = await stage.gateway(config, { at: gateway });
    for (const epoch of await purser.epochsOf(pid)) await purser.bury(epoch);
    answered += whole.filter(Boolean).length;
    const owed = SPEECH_NANO + LISTENING_NANO;
    await waitFor(
      'what was answered is charged',
      async () => (await purser.account(account)).posted >= owed,
      PATIENCE_MS,
    );
    leftOpen += await purser.openHoldsOf(pid);
    const charges = [...(await purser.charges(account)).values()];
    const exact = charges.filter(({ estimated }) => !estimated).reduce((sum, { amount }) => sum + amount, 0n);
    // Of speeches that had begun: what the journal had of them.
    const estimates = charges.filter(({ estimated }) => estimated).map(({ amount }) => amount);
    estimated += estimates.length;
    const isRight = exact === owed && estimates.length <= OF_EACH && estimates.every((amount) => amount <= SPEECH_NANO);
    if (!isRight || (await purser.violations(account)) > 0) {
      wrong++;
      stage.say(`${account}: charged ${exact} of ${owed}, and by estimate ${estimates.join(', ')}`);
    }
  }
  return {
    figures: { kills, answered, cut, estimated },
    checks: [
      exactly('whole answers', answered, 2 * kills),
      atLeast('calls that a kill cut', cut, 4 * OF_EACH * kills),
      exactly('kills whose charges are not exact', wrong, 0),
      exactly('holds of the dead that stay open', leftOpen, 0),
      exactly('nano-dollars still set aside', Number(await purser.pending()), 0),
    ],
  };
}

export const soundKill = scenario<Parameters>({
  name: 'sound-kill',
  shows:
    'Kills during uploads, listening and speech charge exactly what was answered whole, begun speech at most its price, and leave nothing set aside.',
  short: { kills: 1 },
  full: { kills: 10 },
  run: play,
});
