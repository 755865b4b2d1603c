/** Load generator and upstream in C: cheap enough that the gateway is what is measured. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../../bench/native-programs.ts';
import { choosePorts } from '../../../bench/ports.ts';
import { ROOT } from './child.ts';
import { KEY } from './gateway-process.ts';
import type { Stage } from './stage.ts';

const BUILD = join(ROOT, 'bench/build');
/** Slower answers are discarded. */
const PATIENCE_MS = 5000;
const END_LIMIT_MS = 15_000;

const built = (program: 'mock' | 'openload'): string => {
  mkdirSync(BUILD, { recursive: true });
  return compile(program, BUILD);
};

export type NativeUpstream = { readonly plainUrl: string; readonly pacedUrl: string };

export type UpstreamPace = { readonly answerMs: number; readonly chunks: number; readonly chunkMs: number };

/** Answers plain calls after `answerMs`, and streams a number of chunks with a pause between them. */
export async function startNativeUpstream(
  stage: Stage,
  { answerMs, chunks, chunkMs }: UpstreamPace,
): Promise<NativeUpstream> {
  const [plain, fast, paced] = await choosePorts(3, undefined);
  const figures = [plain, fast, paced, chunks, chunkMs * 1000, answerMs * 1000].map(String);
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', built('mock'), ...figures], { stdio: 'ignore' });
  stage.atEnd(() => void child.kill('SIGKILL'));
  return { plainUrl: `http://127.0.0.1:${plain}`, pacedUrl: `http://127.0.0.1:${paced}` };
}

export type LoadResult = {
  readonly due: number;
  readonly sent: number;
  /** Not sent: no free connection. */
  readonly unsent: number;
  readonly answered: number;
  readonly refused: number;
  /** Broken off, or with any other status. */
  readonly failed: number;
  readonly unexpected: number;
  readonly unanswered: number;
  readonly connections: number;
  readonly answeredP50Us: number;
  readonly answeredP99Us: number;
  readonly refusedP50Us: number;
  readonly refusedP99Us: number;
};

export type LoadPlan = {
  readonly perSecond: number;
  readonly ms: number;
  readonly connections: number;
  /** Wait in ms for answers after the last request. */
  readonly patienceMs?: number;
};

/** Calls of one model at a fixed rate, regardless of their outcome. */
export async function openLoad(stage: Stage, url: string, model: string, plan: LoadPlan): Promise<LoadResult> {
  const { perSecond, ms, connections, patienceMs = PATIENCE_MS } = plan;
  const headers = join(stage.folder, 'load.headers');
  const body = join(stage.folder, 'load.body');
  writeFileSync(headers, `authorization: Bearer ${KEY}\ncontent-type: application/json\n`);
  writeFileSync(
    body,
    JSON.stringify({ model, messages: [{ role: 'user', content: 'Where do three roads meet? '.repeat(30) }] }),
  );
  const figures = [
    new URL(url).port,
    '/api/v1/chat/completions',
    perSecond,
    ms,
    connections,
    headers,
    body,
    patienceMs,
  ];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', built('openload'), ...figures.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const late = setTimeout(() => child.kill('SIGKILL'), ms + patienceMs + END_LIMIT_MS);
  await once(child, 'close');
  clearTimeout(late);
  return JSON.parse(output) as LoadResult;
}
