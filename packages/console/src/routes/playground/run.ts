/** One call of one model: sent, read as it comes, timed, and what it cost. */

import { useCallback, useEffect, useRef, useState } from 'react';
import { asError, callScoped, csrfHeaders } from '../../api/client.ts';
import { parsed } from '../../format/json-lines.ts';
import { EventReader } from '../../format/sse.ts';
import { t } from '../../i18n/t.ts';
import { type Answer, EMPTY, grown, problemOf } from './answer.ts';
import { type Target, targetOf } from './body.ts';
import type { Sent } from './draft.ts';
import { readFile } from './media.tsx';
import { type Clip, operationOf } from './video.ts';

export type Run = {
  readonly state: 'idle' | 'running' | 'done';
  readonly target?: Target;
  readonly answer: Answer;
  readonly status?: number;
  readonly headers: readonly (readonly [string, string])[];
  /** What came back, as it came; cut where it is long. */
  readonly raw: string;
  readonly firstMs?: number;
  readonly totalMs?: number;
  readonly requestId?: string;
  readonly losses: readonly string[];
  readonly costUsd?: string | null;
  readonly percent?: number;
  readonly clips: readonly Clip[];
};

const IDLE: Run = { state: 'idle', answer: EMPTY, headers: [], raw: '', losses: [], clips: [] };
const MAX_RAW = 2_000_000;
const POLL_MS = 2000;
const COST_TRIES = 6;
const SHOWN_HEADERS = /^(?:x-trivium-|x-request-id|request-id|retry-after|content-type)/;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

const play = (keyId: string, target: Omit<Target, 'body'> & { readonly body?: unknown }, signal: AbortSignal) =>
  fetch('/admin/v1/playground', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', ...csrfHeaders() },
    body: JSON.stringify({ keyId, ...target }),
    signal,
  });

type Update = (change: (run: Run) => Run) => void;

async function readAnswer(response: Response, mode: Sent['mode'], startMs: number, update: Update): Promise<string> {
  const type = response.headers.get('content-type') ?? '';
  const isStream = type.startsWith('text/event-stream');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const events = new EventReader();
  let raw = '';
  const take = (data: readonly string[]): void => {
    for (const each of data) {
      const event = parsed(each);
      if (event === undefined) continue;
      update((run) => {
        const answer = grown(mode, run.answer, event);
        const hasContent =
          answer.text !== '' || answer.thinking !== '' || answer.tools.length + answer.sound.length > 0;
        return {
          ...run,
          answer,
          ...(run.firstMs === undefined && hasContent && { firstMs: performance.now() - startMs }),
        };
      });
    }
  };
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    raw += piece.value;
    if (!isStream) continue;
    update((run) => ({ ...run, raw: raw.slice(0, MAX_RAW) }));
    take(events.push(piece.value));
  }
  if (isStream) take(events.end());
  else {
    // The words of a recording may come as subtitles, or as nothing but themselves.
    const isWords = mode === 'transcription' && !type.startsWith('application/json');
    const answer = isWords ? { text: raw } : parsed(raw);
    update((run) => ({ ...run, raw: raw.slice(0, MAX_RAW), answer: grown(mode, run.answer, answer) }));
  }
  return raw;
}

/** Polls an operation until it ends. */
async function follow(keyId: string, name: string, signal: AbortSignal, update: Update): Promise<void> {
  for (;;) {
    const path = `/api/vertex-ai/v1/${name}`;
    const response = await play(keyId, { path, headers: {} }, signal);
    const raw = await response.text();
    const {
      isDone,
      percent,
      clips,
      problem = response.ok ? undefined : `HTTP ${response.status}`,
    } = operationOf(parsed(raw));
    update((run) => ({
      ...run,
      raw: raw.slice(0, MAX_RAW),
      clips,
      ...(percent !== undefined && { percent }),
      ...(problem !== undefined && { answer: { ...run.answer, problem } }),
    }));
    if (isDone || !response.ok) return;
    await pause(POLL_MS, signal);
  }
}

/** The cost from the ledger: it is not yet known when the stream ends. */
async function costOf(account: string | undefined, id: string, signal: AbortSignal): Promise<string | null> {
  for (let tries = 0; tries < COST_TRIES; tries++) {
    await pause(500 * (tries + 1), signal);
    const { items } = await callScoped('get', 'requests', account, { query: { id, limit: '1' } }, signal);
    const [row] = items;
    if (row?.costUsd !== null && row?.costUsd !== undefined) return row.costUsd;
  }
  return null;
}

/** Makes one call, and shows it as it grows. An aborted call ends as stopped; nothing is thrown. */
export async function makeCall(
  sent: Sent,
  model: string,
  account: string | undefined,
  signal: AbortSignal,
  show: (run: Run) => void,
): Promise<void> {
  const isStream = sent.mode === 'genai' ? sent.isStream : sent.body['stream'] === true;
  let target = targetOf(sent.mode, model, sent.body, sent.isStrict, isStream);
  const startMs = performance.now();
  let latest: Run = { ...IDLE, state: 'running', target };
  const update: Update = (change) => {
    latest = change(latest);
    show(latest);
  };
  const finish = (change: Partial<Run>): void => update((run) => ({ ...run, ...change, state: 'done' }));
  show(latest);
  try {
    if (sent.file !== undefined) {
      target = { ...target, file: { name: sent.file.name, base64: (await readFile(sent.file)).base64 } };
      update((run) => ({ ...run, target }));
    }
    const response = await play(sent.keyId, target, signal);
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const cost = response.headers.get('x-trivium-cost');
    const losses = (response.headers.get('x-trivium-losses') ?? '').split(',').map((loss) => loss.trim());
    update((before) => ({
      ...before,
      status: response.status,
      headers: [...response.headers].filter(([name]) => SHOWN_HEADERS.test(name)),
      losses: losses.filter((loss) => loss !== ''),
      ...(requestId !== undefined && { requestId }),
      ...(cost !== null && { costUsd: cost }),
    }));
    const raw = await readAnswer(response, sent.mode, startMs, update);
    const { name } = (parsed(raw) ?? {}) as { name?: unknown };
    if (sent.mode === 'video' && response.ok && typeof name === 'string')
      await follow(sent.keyId, name, signal, update);
    const problem = response.ok ? undefined : (problemOf(parsed(raw)) ?? `HTTP ${response.status}`);
    finish({
      totalMs: performance.now() - startMs,
      ...(problem !== undefined && { answer: { ...latest.answer, problem } }),
    });
    if (response.ok && cost === null && requestId !== undefined && sent.mode !== 'video')
      // The answer is complete, whether or not its cost can be read.
      finish({ costUsd: await costOf(account, requestId, signal).catch(() => null) });
  } catch (error) {
    const problem = signal.aborted ? t('Stopped.') : asError(error).message;
    finish({ totalMs: latest.totalMs ?? performance.now() - startMs, answer: { ...latest.answer, problem } });
  }
}

export function useRun(account: string | undefined): {
  readonly run: Run;
  readonly start: (sent: Sent, model: string) => void;
  readonly stop: () => void;
} {
  const [run, setRun] = useState<Run>(IDLE);
  const current = useRef<AbortController>(undefined);
  const stop = useCallback((): void => current.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const start = useCallback(
    (sent: Sent, model: string): void => {
      current.current?.abort();
      const controller = new AbortController();
      current.current = controller;
      let latest = IDLE;
      let frame = 0;
      const draw = (): void => {
        frame = 0;
        if (current.current === controller) setRun(latest);
      };
      // At most one repaint a frame, however many events arrive.
      const show = (next: Run): void => {
        const isFirst = latest === IDLE;
        latest = next;
        if (isFirst || next.state === 'done') draw();
        else if (frame === 0 && !controller.signal.aborted) frame = requestAnimationFrame(draw);
      };
      void makeCall(sent, model, account, controller.signal, show);
    },
    [account],
  );
  return { run, start, stop };
}
