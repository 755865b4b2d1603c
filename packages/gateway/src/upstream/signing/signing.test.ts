import { generateKeyPairSync } from 'node:crypto';
import { GatewayError } from '@trivium/protocol/canonical';
import { importSPKI, jwtVerify } from 'jose';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Timeouts } from '../../kernel/timeouts.ts';
import type { Upstream, UpstreamListener, UpstreamRequest } from '../../kernel/upstream.ts';
import { GOOGLE_CLOUD } from '../../models/providers/signers/schemes.ts';
import { Signers } from './signers.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const ACCOUNT = JSON.stringify({
  client_email: 'gateway@p.test',
  private_key: privateKey,
  private_key_id: 'k1',
  token_uri: 'https://token.test/exchange',
});
const START_MS = Date.UTC(2026, 10, 15, 3, 45, 0);
const REQUEST: UpstreamRequest = { origin: 'https://host.test', path: '/v1/x', headers: [], body: '{}' };

let nowMs = START_MS;
let sent: { readonly request: UpstreamRequest; readonly listener: UpstreamListener; aborted: boolean }[] = [];
let beat: (() => void) | undefined;
const upstream: Upstream = {
  send: (request, listener) => {
    const exchange = { request, listener, aborted: false };
    sent.push(exchange);
    return { pause: () => {}, resume: () => {}, drain: () => {}, abort: () => (exchange.aborted = true) };
  },
};
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
const timer = {
  nowMs: () => nowMs,
  start: (run: () => void) => {
    beat = run;
    return () => (beat = undefined);
  },
};
const portsOf = () => ({ upstream, clock, timeouts: new Timeouts(timer, 100) });

beforeEach(() => {
  nowMs = START_MS;
  sent = [];
});

const signerOf = (signers = new Signers(portsOf())) => {
  const signer = signers.next()(GOOGLE_CLOUD, { credential: ACCOUNT, variables: {} });
  if (signer === undefined) throw new Error('no signer');
  return signer;
};
/** Signing an assertion takes some time on another thread. */
const settled = (count: number): Promise<void> => vi.waitFor(() => expect(sent).toHaveLength(count), 10_000);
const answer = (at: number, token: string, lifetimeS = 3600): void => {
  const { listener } = sent[at] ?? {};
  listener?.onHead(200, () => undefined);
  listener?.onText(JSON.stringify({ access_token: token, expires_in: lifetimeS, token_type: 'Bearer' }));
  listener?.onEnd();
};

describe('a service account', () => {
  test('signs an assertion with its key, for the token endpoint, and uses the token it gets', async () => {
    const headers = signerOf().sign(REQUEST);
    await settled(1);
    const { request } = sent[0] ?? { request: REQUEST };
    expect([request.origin, request.path]).toEqual(['https://token.test', '/exchange']);
    const form = new URLSearchParams(String(request.body));
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const { payload, protectedHeader } = await jwtVerify(
      form.get('assertion') ?? '',
      await importSPKI(publicKey, 'RS256'),
      { audience: 'https://token.test/exchange', issuer: 'gateway@p.test', currentDate: new Date(nowMs) },
    );
    expect(payload).toMatchObject({
      scope: GOOGLE_CLOUD.kind === 'google-oauth' && GOOGLE_CLOUD.scope,
      iat: START_MS / 1000,
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    answer(0, 'tok-1');
    expect(await headers).toEqual(['authorization', 'Bearer tok-1']);
  });

  test('exchanges once however many requests wait, and answers at once while the token is valid', async () => {
    const signer = signerOf();
    const waiting = [signer.sign(REQUEST), signer.sign(REQUEST), signer.sign(REQUEST)];
    await settled(1);
    answer(0, 'tok-1');
    for (const headers of await Promise.all(waiting)) expect(headers[1]).toBe('Bearer tok-1');
    expect(signer.sign(REQUEST)).toEqual(['authorization', 'Bearer tok-1']);
    expect(sent).toHaveLength(1);
  });

  test('renews in the background before the token expires, and no request waits for it', async () => {
    const signer = signerOf();
    const first = signer.sign(REQUEST);
    await settled(1);
    answer(0, 'tok-1');
    await first;
    nowMs += 3600_000 - 3 * 60_000;
    expect(signer.sign(REQUEST)).toEqual(['authorization', 'Bearer tok-1']);
    await settled(2);
    answer(1, 'tok-2');
    await vi.waitFor(() => expect(signer.sign(REQUEST)).toEqual(['authorization', 'Bearer tok-2']));
  });

  test('uses no token in its last minute', async () => {
    const signer = signerOf();
    const first = signer.sign(REQUEST);
    await settled(1);
    answer(0, 'tok-1');
    await first;
    nowMs += 3600_000 - 30_000;
    const next = signer.sign(REQUEST);
    expect(next).toBeInstanceOf(Promise);
    await settled(2);
    answer(1, 'tok-2');
    expect(await next).toEqual(['authorization', 'Bearer tok-2']);
  });

  test('reports a refusal without its message, and retries only after a pause', async () => {
    const signer = signerOf();
    const first = Promise.resolve(signer.sign(REQUEST)).catch((error: unknown) => error);
    await settled(1);
    sent[0]?.listener.onHead(400, () => undefined);
    sent[0]?.listener.onText('{"error":"invalid_grant","error_description":"no such account gateway@p.test"}');
    sent[0]?.listener.onEnd();
    const error = await first;
    expect(error).toBeInstanceOf(GatewayError);
    expect((error as GatewayError).fault.kind).toBe('upstream-broken');
    expect((error as GatewayError).message).not.toContain('gateway@p.test');
    await expect(signer.sign(REQUEST)).rejects.toBe(error);
    expect(sent).toHaveLength(1);
    nowMs += 1001;
    const again = signer.sign(REQUEST);
    await settled(2);
    answer(1, 'tok-2');
    expect(await again).toEqual(['authorization', 'Bearer tok-2']);
  });

  test.each(['not json', '{}', '{"access_token":"a\\nb","expires_in":1}', '{"access_token":"a","expires_in":0}'])(
    'does not accept %s as a token',
    async (body) => {
      const first = Promise.resolve(signerOf().sign(REQUEST));
      const refused = expect(first).rejects.toMatchObject({ fault: { kind: 'upstream-broken' } });
      await settled(1);
      sent[0]?.listener.onHead(200, () => undefined);
      sent[0]?.listener.onText(body);
      sent[0]?.listener.onEnd();
      await refused;
    },
  );

  test('times out on an endpoint that does not answer, and on one that never stops sending', async () => {
    const ports = portsOf();
    const silent = Promise.resolve(signerOf(new Signers(ports)).sign(REQUEST));
    const timedOut = expect(silent).rejects.toMatchObject({ fault: { kind: 'upstream-timeout' } });
    await settled(1);
    nowMs += 15_001;
    beat?.();
    await timedOut;
    expect(sent[0]?.aborted).toBe(true);
    const endless = Promise.resolve(signerOf(new Signers(ports)).sign(REQUEST));
    const broken = expect(endless).rejects.toMatchObject({ fault: { kind: 'upstream-broken' } });
    await settled(2);
    sent[1]?.listener.onHead(200, () => undefined);
    sent[1]?.listener.onText('x'.repeat(70_000));
    await broken;
    expect(sent[1]?.aborted).toBe(true);
    expect(ports.timeouts.watching).toBe(0);
  });

  test('keeps its token over a reload, and is dropped when no configuration uses it', async () => {
    const signers = new Signers(portsOf());
    const signer = signerOf(signers);
    expect(signerOf(signers)).toBe(signer);
    signers.next();
    expect(signerOf(signers)).not.toBe(signer);
  });
});

describe('AWS', () => {
  const sigv4 = (credential: string) =>
    new Signers(portsOf()).next()(
      { kind: 'aws-sigv4', service: 'bedrock' },
      { credential, variables: { region: 'eu-west-1' } },
    );
  const KEYS = 'AKIDEXAMPLE000000000:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

  test('signs synchronously, for service, region and day, and differently for another body', () => {
    const headers = sigv4(KEYS)?.sign(REQUEST);
    expect(headers).toEqual([
      'x-amz-date',
      '20261115T034500Z',
      'authorization',
      expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE000000000\/20261115\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=content-length;content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
      ),
    ]);
    expect(sigv4(KEYS)?.sign(REQUEST)).toEqual(headers);
    expect(sigv4(KEYS)?.sign({ ...REQUEST, body: '{ }' })).not.toEqual(headers);
  });

  test('adds a session token and signs it', () => {
    const headers = sigv4(`${KEYS}:FwoGZXIvYXdzEXAMPLE==`)?.sign(REQUEST);
    expect(headers).toEqual(expect.arrayContaining(['x-amz-security-token', 'FwoGZXIvYXdzEXAMPLE==']));
    expect(JSON.stringify(headers)).toContain('host;x-amz-date;x-amz-security-token');
  });

  test('sends a service-specific key as a bearer token', () => {
    expect(sigv4('ABSKQmVkcm9ja0FQSUtleQ')?.sign(REQUEST)).toEqual(['authorization', 'Bearer ABSKQmVkcm9ja0FQSUtleQ']);
  });
});
