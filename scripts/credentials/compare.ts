/** What ours and the clouds' libraries ask of one recording server: the same requests, at the same points of time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemTimer } from '../../packages/gateway/src/kernel/clock.ts';
import { Timeouts } from '../../packages/gateway/src/kernel/timeouts.ts';
import type { RequestSigner, UpstreamRequest } from '../../packages/gateway/src/kernel/upstream.ts';
import { openUpstream } from '../../packages/gateway/src/upstream/open-upstream.ts';
import { type Asked, FakeCloud } from '../../packages/gateway/src/upstream/signing/cloud.fixture.ts';
import { Signers } from '../../packages/gateway/src/upstream/signing/signers.ts';
import { type Judge, judges, type Place } from './libraries.ts';

export type Finding = { readonly what: string; readonly problem?: string };

const REQUEST: UpstreamRequest = { origin: 'https://host.test', path: '/v1/x', headers: [], body: '{}' };
const CALLERS = 100;
const MARGIN_MS = 10_000;
/** Who asks, how it holds its connection, and what its framework counts: no part of the request for a credential. */
const NOT_COMPARED =
  /^(?:user-agent|amz-sdk-.*|x-amz-user-agent|connection|host|content-length|accept-encoding|x-client-.*|x-ms-.*|x-goog-api-client|client-request-id)$/;

/** One clock for all: libraries read the global one. */
function useClock(nowMs: () => number): () => void {
  const real = globalThis.Date;
  globalThis.Date = class extends real {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [nowMs()] : given) as [number]));
    }
    static override now(): number {
      return nowMs();
    }
  } as DateConstructor;
  return () => {
    globalThis.Date = real;
  };
}

const formOf = (text: string): string =>
  JSON.stringify([...new URLSearchParams(text)].filter(([name]) => !NOT_COMPARED.test(name.toLowerCase())).sort());

/** Query and form by names: their order says nothing. Microsoft's library adds a slash to paths, and names the type of no body. */
function textOf({ method, path, headers, body }: Asked): string {
  const [plain = '', query = ''] = path.replace(/\/(?=\?)/, '').split('?');
  const shown = Object.entries(headers)
    .filter(([name]) => !NOT_COMPARED.test(name) && !(name === 'content-type' && body === ''))
    .map(([name, value]) => `${name}: ${value.replace(/; ?charset=utf-8/i, '')}`)
    .sort();
  return [`${method} ${plain}`, formOf(query), ...shown, formOf(body)].join('\n');
}

const problemOf = (isRight: boolean, problem: string): Pick<Finding, 'problem'> => (isRight ? {} : { problem });

export async function compareLibraries(cache: string): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'judges-'));
  const token = join(folder, 'jwt');
  // Without a line end: AWS's library sends it.
  writeFileSync(token, 'eyJhbGciOiJub25lIn0.e30.subject');
  const found: Finding[] = [];
  try {
    for (const judge of judges(cache)) found.push(...(await compare(judge, folder, token)));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return found;
}

async function compare(judge: Judge, folder: string, token: string): Promise<readonly Finding[]> {
  const cloud = new FakeCloud();
  await cloud.listen();
  cloud.lifetimeS = judge.lifetimeS ?? cloud.lifetimeS;
  const account = (tokenUrl: string): string =>
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: tokenUrl,
      credential_source: { file: token },
    });
  const place: Place = { origin: cloud.origin, token, account };
  const env = judge.env(place);
  const before = { ...process.env };
  Object.assign(process.env, env);
  const restore = useClock(() => cloud.nowMs);
  const client = openUpstream({ connectionsPerOrigin: 8, connectMs: 2000, keepAliveMs: 1000, ca: [] });
  try {
    return await judged(judge, cloud, place, { folder, env, client });
  } catch (error) {
    return [{ what: judge.credential, problem: String(error) }];
  } finally {
    restore();
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
    await client.close();
    await cloud.close();
  }
}

type Bench = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly client: ReturnType<typeof openUpstream>;
};

/** Addresses that ours has pinned lead to the recording server. */
function oursOf(
  { credential, scheme }: Judge,
  cloud: FakeCloud,
  place: Place,
  { folder, env, client }: Bench,
): RequestSigner {
  const file = join(folder, 'account.json');
  writeFileSync(file, place.account('https://sts.googleapis.com/v1/token'));
  const signers = new Signers({
    upstream: { send: (request, listener) => client.send({ ...request, origin: cloud.origin }, listener) },
    clock: { nowMs: () => cloud.nowMs, monotonicMs: systemTimer.nowMs },
    timeouts: new Timeouts(systemTimer, 100),
    env,
  });
  const given = credential === 'gcp:file' ? `gcp:file:${file}` : credential;
  const signer = signers.next()(scheme, { credential: given, variables: { region: 'eu-west-1' } });
  if (signer === undefined) throw new Error('ours makes no signer');
  return signer;
}

async function judged(judge: Judge, cloud: FakeCloud, place: Place, bench: Bench): Promise<readonly Finding[]> {
  const { credential } = judge;
  const library = judge.library(place);
  const signer = oursOf(judge, cloud, place, bench);
  const ours = async (): Promise<unknown> => signer.sign(REQUEST);
  const asked = async (ask: () => Promise<unknown>): Promise<readonly string[]> => {
    cloud.asked.splice(0);
    await ask();
    // A renewal in the background: its answer is on its way.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return cloud.asked.splice(0).map(textOf);
  };
  const [theirs, first] = [await asked(library), await asked(ours)];
  const same = problemOf(
    JSON.stringify(theirs) === JSON.stringify(first),
    `\n--- library\n${theirs.join('\n\n')}\n--- ours\n${first.join('\n\n')}\n`,
  );
  const again = oursOf(judge, cloud, place, bench);
  const many = await asked(() => Promise.all(Array.from({ length: CALLERS }, () => again.sign(REQUEST))));
  const points: Record<string, readonly [number, number]> = {};
  const renewMs = judge.renewsAtMs(cloud.lifetimeS * 1000);
  const startMs = cloud.nowMs;
  for (const [name, atMs] of [
    ['before', renewMs - MARGIN_MS],
    ['after', renewMs + MARGIN_MS],
  ] as const) {
    cloud.nowMs = startMs + atMs;
    points[name] = [(await asked(library)).length, (await asked(ours)).length];
  }
  const { before = [-1, -1], after = [-1, -1] } = points;
  return [
    { what: `${credential}: same path, form and headers`, ...same },
    {
      what: `${credential}: one renewal for ${CALLERS} callers`,
      ...problemOf(many.length === first.length, `${many.length} requests`),
    },
    {
      what: `${credential}: renewed at the same point`,
      ...problemOf(
        before[0] === 0 && before[1] === 0 && after[0] > 0 && after[1] > 0,
        `requests of library and ours before ${before.join(', ')}, after ${after.join(', ')}`,
      ),
    },
  ];
}

const SETTLE_MS = 100;
