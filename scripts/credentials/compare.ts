/** What ours and the clouds' libraries ask of one recording server: the same requests, at the same points of time. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemTimer } from '../../packages/gateway/src/kernel/clock.ts';
import { Timeouts } from '../../packages/gateway/src/kernel/timeouts.ts';
import type { RequestSigner, UpstreamRequest } from '../../packages/gateway/src/kernel/upstream.ts';
import { openUpstream } from '../../packages/gateway/src/upstream/open-upstream.ts';
import { type Asked, FakeCloud } from '../../packages/gateway/src/upstream/signing/cloud.fixture.ts';
import { Signers } from '../../packages/gateway/src/upstream/signing/signers.ts';
import { KINDS, type Kind, type Place } from './kinds.ts';
import { libraries } from './libraries.ts';

export type Finding = { readonly what: string; readonly problem?: string };

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
export function textOf({ method, path, headers, body }: Asked): string {
  const [plain = '', query = ''] = path.replace(/\/(?=\?)/, '').split('?');
  const shown = Object.entries(headers)
    .filter(([name]) => !NOT_COMPARED.test(name) && !(name === 'content-type' && body === ''))
    .map(([name, value]) => `${name}: ${value.replace(/; ?charset=utf-8/i, '')}`)
    .sort();
  return [`${method} ${plain}`, formOf(query), ...shown, formOf(body)].join('\n');
}

export const problemOf = (isRight: boolean, problem: string): Pick<Finding, 'problem'> => (isRight ? {} : { problem });

/** Requests of the libraries as they were recorded last, which a test of every run holds ours against. */
const RECORDED = new URL('recorded.json', import.meta.url);
export type Recorded = Readonly<Record<string, readonly string[]>>;
export const recorded = (): Recorded => JSON.parse(readFileSync(RECORDED, 'utf8')) as Recorded;

/** `isRecording`: what the libraries ask now is what is recorded. */
export async function compareLibraries(cache: string, isRecording: boolean): Promise<readonly Finding[]> {
  const theirs = libraries(cache);
  const asked: Record<string, readonly string[]> = {};
  const found: Finding[] = [];
  for (const kind of KINDS)
    found.push(
      ...(await atRecorder(kind, (bench) => judged(kind, bench, theirs[kind.credential]?.(bench.place), asked))),
    );
  if (isRecording) writeFileSync(RECORDED, `${JSON.stringify(asked, null, 2)}\n`);
  const same = JSON.stringify(recorded()) === JSON.stringify(asked);
  return [
    ...found,
    { what: 'requests of the libraries as recorded', ...problemOf(same, 'run with --record, and read what changed') },
  ];
}

export type Bench = { readonly cloud: FakeCloud; readonly place: Place; readonly ours: () => RequestSigner };

/** With the environment of one kind, the clock of the recording server, and signers of ours. */
export async function atRecorder(
  kind: Kind,
  work: (bench: Bench) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const { credential, scheme } = kind;
  const folder = mkdtempSync(join(tmpdir(), 'judges-'));
  const token = join(folder, 'jwt');
  // Without a line end: AWS's library sends it.
  writeFileSync(token, 'eyJhbGciOiJub25lIn0.e30.subject');
  const cloud = new FakeCloud();
  await cloud.listen();
  cloud.lifetimeS = kind.lifetimeS ?? cloud.lifetimeS;
  const account = (tokenUrl: string): string =>
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: tokenUrl,
      credential_source: { file: token },
    });
  const file = join(folder, 'account.json');
  writeFileSync(file, account('https://sts.googleapis.com/v1/token'));
  const place: Place = { origin: cloud.origin, token, account };
  const env = kind.env(place);
  const before = { ...process.env };
  Object.assign(process.env, env);
  const restore = useClock(() => cloud.nowMs);
  const client = openUpstream({ connectionsPerOrigin: 8, connectMs: 2000, keepAliveMs: 1000, ca: [] });
  /** Addresses that ours has pinned lead to the recording server. */
  const ours = (): RequestSigner => {
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
  };
  try {
    return await work({ cloud, place, ours });
  } catch (error) {
    return [{ what: credential, problem: String(error) }];
  } finally {
    restore();
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
    await client.close();
    await cloud.close();
    rmSync(folder, { recursive: true });
  }
}

export const REQUEST: UpstreamRequest = { origin: 'https://host.test', path: '/v1/x', headers: [], body: '{}' };

async function judged(
  { credential, renewsAtMs }: Kind,
  { cloud, ours: make }: Bench,
  library: (() => Promise<unknown>) | undefined,
  recording: Record<string, readonly string[]>,
): Promise<readonly Finding[]> {
  if (library === undefined) throw new Error('no library judges it');
  const signer = make();
  const ours = async (): Promise<unknown> => signer.sign(REQUEST);
  const asked = async (ask: () => Promise<unknown>): Promise<readonly string[]> => {
    cloud.asked.splice(0);
    await ask();
    // A renewal in the background: its answer is on its way.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return cloud.asked.splice(0).map(textOf);
  };
  const [theirs, first] = [await asked(library), await asked(ours)];
  recording[credential] = theirs;
  const same = problemOf(
    JSON.stringify(theirs) === JSON.stringify(first),
    `\n--- library\n${theirs.join('\n\n')}\n--- ours\n${first.join('\n\n')}\n`,
  );
  const again = make();
  const many = await asked(() => Promise.all(Array.from({ length: CALLERS }, () => again.sign(REQUEST))));
  const points: Record<string, readonly [number, number]> = {};
  const renewMs = renewsAtMs(cloud.lifetimeS * 1000);
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
