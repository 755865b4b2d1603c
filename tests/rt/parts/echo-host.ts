/**
 * A chat host that answers with the last words of the request, so that every answer shows its caller. Its
 * streams stop after the first piece until they are released: a caller who reads that piece has it from an open stream.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stage } from './stage.ts';

type Body = {
  readonly stream?: boolean;
  readonly messages: readonly { readonly content: string | readonly { text: string }[] }[];
};

const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const whole = (words: string): object => ({
  id: 'echo',
  object: 'chat.completion',
  created: 1,
  model: 'any',
  choices: [{ index: 0, message: { role: 'assistant', content: `echo ${words}` }, finish_reason: 'stop' }],
  usage: USAGE,
});
const chunk = (delta: object, finish: string | null, usage?: object): string =>
  `data: ${JSON.stringify({
    id: 'echo',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'any',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(usage !== undefined && { usage }),
  })}\n\n`;

export const FIRST = 'first';
export const LAST = 'last';

export class EchoHost {
  /** How often each last words were received. */
  readonly seen = new Map<string, number>();
  /** Waiting streams, by their words. */
  readonly #waiting = new Map<string, ServerResponse>();
  left = 0;
  url = '';

  static async open(stage: Stage): Promise<EchoHost> {
    const host = new EchoHost();
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => host.#answer(JSON.parse(Buffer.concat(pieces).toString()) as Body, response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stage.atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    return host;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  #answer({ stream = false, messages }: Body, response: ServerResponse): void {
    const content = messages.at(-1)?.content ?? '';
    const words = typeof content === 'string' ? content : (content[0]?.text ?? '');
    this.seen.set(words, (this.seen.get(words) ?? 0) + 1);
    if (!stream) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole(words)));
      return;
    }
    this.#waiting.set(words, response);
    response.on('close', () => {
      if (this.#waiting.delete(words)) this.left++;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: `${FIRST} ${words} ` }, null));
  }

  letGo(words: string): void {
    const response = this.#waiting.get(words);
    this.#waiting.delete(words);
    response?.write(chunk({ content: `${LAST} ${words}` }, null));
    response?.end(`${chunk({}, 'stop', USAGE)}data: [DONE]\n\n`);
  }
}
