/** A small OTLP/HTTP receiver for traces: decodes the protobuf of exports and keeps their spans. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startNano: bigint;
  readonly endNano: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly atNano: bigint }[];
  readonly status: { readonly code: number; readonly message: string };
  readonly scope: string;
  readonly resource: Readonly<Record<string, unknown>>;
};

export type OtlpReceiver = {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly headers: Record<string, unknown>[];
  /** The answer to further exports. */
  answer(status: number): void;
  close(): Promise<void>;
};

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const headers: Record<string, unknown>[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    headers.push({ path: request.url, ...request.headers });
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    if (status === 200) spans.push(...decodeExport(bytes));
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    headers,
    answer: (next) => {
      status = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The members of a message by number; each may come more than once. */
type Members = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

function read(bytes: Buffer): Members {
  const members = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    let value: bigint | Buffer;
    if (wire === 0) value = varint();
    else if (wire === 2) {
      const length = Number(varint());
      value = bytes.subarray(at, at + length);
      at += length;
    } else {
      const length = wire === 1 ? 8 : 4;
      value = bytes.subarray(at, at + length);
      at += length;
    }
    members.set(tag >> 3, [...(members.get(tag >> 3) ?? []), value]);
  }
  return members;
}

const one = (members: Members, number: number): bigint | Buffer | undefined => members.get(number)?.[0];
const bytesOf = (members: Members, number: number): Buffer => {
  const value = one(members, number);
  return value instanceof Buffer ? value : Buffer.alloc(0);
};
const textOf = (members: Members, number: number): string => bytesOf(members, number).toString();
const numberOf = (members: Members, number: number): number => Number(one(members, number) ?? 0n);
const nestedOf = (members: Members, number: number): readonly Members[] =>
  (members.get(number) ?? []).map((value) => read(value as Buffer));
const nanoOf = (members: Members, number: number): bigint => bytesOf(members, number).readBigUInt64LE();

function anyValue(value: Members): unknown {
  if (value.has(1)) return textOf(value, 1);
  if (value.has(2)) return one(value, 2) === 1n;
  if (value.has(3)) return Number(BigInt.asIntN(64, one(value, 3) as bigint));
  if (value.has(4)) return bytesOf(value, 4).readDoubleLE();
  return nestedOf(value, 5).flatMap((list) => nestedOf(list, 1).map(anyValue));
}

const attributesOf = (members: Members, number: number): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    nestedOf(members, number).map((pair) => [textOf(pair, 1), nestedOf(pair, 2).map(anyValue)[0] ?? '']),
  );

function decodeExport(bytes: Buffer): readonly ReceivedSpan[] {
  return nestedOf(read(bytes), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(nestedOf(resourceSpans, 1)[0] ?? new Map(), 1);
    return nestedOf(resourceSpans, 2).flatMap((scopeSpans) => {
      const [scope = new Map()] = nestedOf(scopeSpans, 1);
      const named = `${textOf(scope, 1)} ${textOf(scope, 2)}`;
      return nestedOf(scopeSpans, 2).map((span) => ({ ...decodeSpan(span), scope: named, resource }));
    });
  });
}

const decodeSpan = (span: Members): Omit<ReceivedSpan, 'scope' | 'resource'> => {
  const [status = new Map()] = nestedOf(span, 15);
  return {
    traceId: bytesOf(span, 1).toString('hex'),
    spanId: bytesOf(span, 2).toString('hex'),
    parentSpanId: bytesOf(span, 4).toString('hex'),
    name: textOf(span, 5),
    kind: numberOf(span, 6),
    startNano: nanoOf(span, 7),
    endNano: nanoOf(span, 8),
    attributes: attributesOf(span, 9),
    events: nestedOf(span, 11).map((event) => ({ name: textOf(event, 2), atNano: nanoOf(event, 1) })),
    status: { code: numberOf(status, 3), message: textOf(status, 2) },
  };
};
