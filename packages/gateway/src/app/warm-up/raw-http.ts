/**
 * Both ends of the warm-up as bytes over sockets: a caller and an upstream that parse HTTP would cost more than the
 * gateway between them, and the time is short. They know what they are sent, so they look only for the length of a
 * message.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { DIALECTS, FAIL, HOSTS, STALL } from './hosts.ts';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/** Whether the text, which begins with a message, contains all of it. */
export function isWhole(text: string): boolean {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1];
  return length === undefined ? text.endsWith(LAST_CHUNK) : text.length >= headEnd + HEAD_END.length + Number(length);
}

const whole = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}${HEAD_END}${body}`;

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

function eventText(event: string | object): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const type = 'type' in event ? `event: ${event.type}\n` : '';
  return `${type}data: ${JSON.stringify(event)}\n\n`;
}

type Answers = {
  readonly base: string;
  readonly whole: string;
  readonly head: string;
  readonly events: readonly string[];
};

function answersOf(dialect: string): Answers {
  const host = HOSTS[dialect];
  if (host === undefined) throw new Error(`there is no host of ${dialect}`);
  return {
    base: `POST ${host.base}`,
    whole: whole('200 OK', JSON.stringify(host.whole())),
    head: `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked${HEAD_END}`,
    events: host.events().map((event) => chunk(eventText(event))),
  };
}

const FAILURE = whole(
  '500 Internal Server Error',
  JSON.stringify({
    type: 'error',
    error: { type: 'server_error', code: 500, status: 'INTERNAL', message: 'as asked' },
  }),
);

/** Answers in the format of the base path; fails or stalls if the request asks for it. */
export async function openStubUpstream(): Promise<Server> {
  const all = DIALECTS.map(answersOf);
  const answer = (socket: Socket, request: string): void => {
    const answers = all.find(({ base }) => request.startsWith(base));
    if (answers === undefined || request.includes(FAIL)) socket.write(FAILURE, 'latin1');
    else if (!/"stream":true|:streamGenerateContent/.test(request)) socket.write(answers.whole, 'latin1');
    else {
      socket.write(answers.head, 'latin1');
      // One write each, as they come from a model.
      for (const event of answers.events) socket.write(event, 'latin1');
      if (!request.includes(STALL)) socket.write(LAST_CHUNK, 'latin1');
    }
  };
  const server = createServer({ noDelay: true }, (socket) => {
    let request = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      request += text;
      if (!isWhole(request)) return;
      answer(socket, request);
      request = '';
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** One caller with one connection, reopened after a disconnect. */
export class RawCaller {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Resolves with the status when the answer is complete, or the connection is gone. */
  call(request: string, isCut: boolean): Promise<number> {
    this.#socket ??= connect({ port: this.#port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
    const socket = this.#socket;
    return new Promise((resolve) => {
      let answer = '';
      const done = (): void => {
        socket.off('data', onData).off('close', close).off('error', close);
        resolve(Number(answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
      };
      const onData = (text: string): void => {
        answer += text;
        if (isCut) this.close();
        else if (isWhole(answer)) done();
      };
      const close = (): void => {
        this.#socket = undefined;
        done();
      };
      socket.on('data', onData).on('close', close).on('error', close);
      socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#socket?.destroy();
  }
}
