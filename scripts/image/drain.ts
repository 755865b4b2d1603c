/** SIGTERM to a container while a stream runs: the stream must end whole, and the process by itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from './container.ts';

/** Four seconds of text. */
const QUESTION = '@simulate scenario=text-long words=40 tps=10';
const PROBE_LIMIT_MS = 10_000;

type Drain = {
  readonly lastFrame: string;
  /** How much of the stream came after the signal. */
  readonly framesAfter: number;
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly probe: { readonly status: number | null; readonly output: string };
};

export async function drainOf(
  container: Container,
  url: string,
  key: string,
  probe: readonly string[],
): Promise<Drain> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: QUESTION }] }),
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  const before = (await reader.read()).value ?? '';
  let text = '';
  const signalledMs = performance.now();
  await container.stop();
  const rest = (async () => {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
  })();
  let health = await container.exec(probe);
  while (health.status === 0 && performance.now() - signalledMs < PROBE_LIMIT_MS) {
    await sleep(100);
    health = await container.exec(probe);
  }
  await rest;
  const exitCode = await container.ended;
  const frames = text.split('\n').filter((line) => line.startsWith('data: '));
  return {
    lastFrame: frames.at(-1) ?? '',
    framesAfter: before === '' ? 0 : frames.length,
    exitCode,
    seconds: Number(((performance.now() - signalledMs) / 1000).toFixed(1)),
    probe: health,
  };
}
