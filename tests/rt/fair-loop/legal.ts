/** What is legal stays legal: the largest and the most intricate bodies that the limits allow, each answered with 200. */
import { connect } from 'node:net';
import type { Stage } from '../parts/stage.ts';
import { exactly, type Outcome } from '../scenario.ts';
import type { Site } from './site.ts';
import { call, KEYS, text, toolCalls, whole } from './wire.ts';

const LIMIT_MS = 120_000;
const IMAGE = `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ${'QUJD'.repeat(1024)}`;

const messages = (count: number): Buffer => {
  const all = Array.from(
    { length: count },
    (_, at) => `{"role":"${at % 2 === 0 ? 'user' : 'assistant'}","content":"x"}`,
  );
  return Buffer.from(`{"model":"c/ok","max_tokens":5,"messages":[${all.join()}]}`);
};

const images = (count: number): ReturnType<typeof call> => {
  const one = `{"type":"image_url","image_url":{"url":"${IMAGE}"}}`;
  return call({ model: 'c/ok', content: Buffer.from(`[${Array(count).fill(one).join()}]`) });
};

const CHAT = '/api/v1/chat/completions';
const BODIES: Readonly<Record<string, () => { readonly path: string; readonly body: Buffer }>> = {
  '31 MB': () => call({ model: 'c/ok', content: text(31, 'a ') }),
  '31 MB, translated': () => call({ model: 'a/ok', content: text(31, 'a ') }),
  '199,000 messages': () => ({ path: CHAT, body: messages(198_999) }),
  '500 images': () => images(500),
  '60,000 tool calls': () => toolCalls('c/ok', 60_000),
  '60,000 tool calls, translated': () => toolCalls('a/ok', 60_000),
};

function statusOf(url: string, bytes: Buffer): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let opening = '';
    socket.on('data', (piece) => {
      if (opening.length < 100) opening += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.setTimeout(LIMIT_MS, () => socket.destroy());
    socket.once('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(opening)?.[1] ?? 0)));
    socket.write(bytes);
  });
}

export async function playLegal(stage: Stage, site: Site): Promise<Outcome> {
  // A process that holds nothing yet, as large bodies find it at worst once.
  await site.close();
  const gateway = await site.gateway({});
  const statuses: Record<string, number> = {};
  for (const [name, build] of Object.entries(BODIES)) {
    const { path, body } = build();
    statuses[name] = await statusOf(gateway.url, whole(path, body, { key: KEYS.attacker }));
    stage.say(`legal: ${name}, ${body.length} bytes: ${statuses[name]}`);
  }
  return {
    figures: statuses,
    checks: Object.entries(statuses).map(([name, status]) => exactly(`legal: status of ${name}`, status, 200)),
  };
}
