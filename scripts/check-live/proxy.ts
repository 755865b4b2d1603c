/** A host that answers as the simulator does, but for one thing that is changed on the way. */
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsEventStream } from '../../packages/gateway/src/upstream/aws-event-stream.ts';
import { framesOf, type SampleFrame } from '../shapes/samples.ts';

export type Answer = {
  status: number;
  /** One of the three. */
  body?: unknown;
  frames?: SampleFrame[];
  /** Of sound. */
  bytes?: Buffer;
};
export type Change = (answer: Answer, path: string) => void;

const textOf = ({ body, frames, bytes }: Answer): string | Buffer =>
  bytes !== undefined
    ? bytes
    : frames === undefined
      ? typeof body === 'string'
        ? body
        : JSON.stringify(body)
      : frames
          .map(({ event, data }) => {
            const text = typeof data === 'string' ? data : JSON.stringify(data);
            return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
          })
          .join('');

export type Proxy = {
  readonly url: string;
  change: Change | undefined;
  readonly asked: string[];
  close(): Promise<void>;
};

/** The simulator has no such path. */
const COUNT_OF_RESPONSES = '/responses/input_tokens';

export async function startProxy(simulatorUrl: string): Promise<Proxy> {
  const { hostname, port } = new URL(simulatorUrl);
  const asked: string[] = [];
  const proxy: { change: Change | undefined } = { change: undefined };
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '';
    asked.push(path);
    const reply = (answer: Answer, headers: Record<string, string>): void => {
      proxy.change?.(answer, path);
      const text = textOf(answer);
      const type =
        answer.bytes !== undefined
          ? 'application/octet-stream'
          : answer.frames === undefined
            ? 'application/json'
            : 'text/event-stream';
      response.writeHead(answer.status, {
        ...headers,
        'content-type': type,
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    };
    if (path.endsWith(COUNT_OF_RESPONSES)) {
      incoming.resume();
      reply({ status: 200, body: { object: 'response.input_tokens', input_tokens: 9 } }, {});
      return;
    }
    const onward = httpRequest(
      { hostname, port, path, method: incoming.method, headers: incoming.headers },
      (upstream) => {
        const pieces: Buffer[] = [];
        upstream.on('data', (piece: Buffer) => pieces.push(piece));
        upstream.on('end', () => {
          const bytes = Buffer.concat(pieces);
          const type = String(upstream.headers['content-type']);
          const isAws = type.includes('vnd.amazon.eventstream');
          const status = upstream.statusCode ?? 0;
          const limits = Object.fromEntries(
            Object.entries(upstream.headers).filter(([name]) => /ratelimit|retry/.test(name)),
          ) as Record<string, string>;
          const text = isAws ? new AwsEventStream().write(bytes) : bytes.toString('utf8');
          const isStream = isAws || type.includes('event-stream');
          if (type.startsWith('audio/')) reply({ status, bytes }, limits);
          else
            reply(
              isStream ? { status, frames: framesOf(text) } : { status, body: JSON.parse(text) as unknown },
              limits,
            );
        });
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
