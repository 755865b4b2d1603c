// What a contender is: a process to start and, for each of the two measures, where and what to ask it.
import { readFileSync } from 'node:fs';

export type Measure = 'json' | 'stream';

export interface UpstreamPorts {
  readonly json: number;
  readonly paced: number;
}

/** One kind of request: the load generators and the check before the measuring use the same. */
export interface Target {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Contender {
  readonly name: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly targets: Readonly<Record<Measure, Target>>;
  /** Further headers, which can only be known once it runs. */
  readonly onceUp?: () => Promise<Readonly<Record<string, string>>>;
  /** How many calls at once, where the usual number would distort the figure. */
  readonly connections?: number;
  /** Whether its streams are measured; they are unless it says no. */
  readonly hasStreams?: boolean;
  /** Says what is wrong with an answer, or nothing; chat completions where it is not given. */
  readonly faultOf?: Readonly<Record<Measure, (text: string) => string | undefined>>;
}

export const BENCH_KEY = 'sk-test-0123456789abcdefghijklmnopqrstuvwxyz0123456789';

const UPSTREAM_MODEL = 'gpt-4o-mini';
const BODY_FILES: Readonly<Record<Measure, string>> = { json: 'chat.json', stream: 'chat-stream.json' };

// The model names of all contenders have the same length, so their bodies are equally long.
export function requestBody(measure: Measure, model: string = UPSTREAM_MODEL): string {
  const text = readFileSync(new URL(`../requests/${BODY_FILES[measure]}`, import.meta.url), 'utf8');
  const body: Readonly<Record<string, unknown>> = JSON.parse(text);
  return JSON.stringify({ ...body, model });
}

/** Targets of a proxy that takes the plain upstream request, on one port per upstream. */
export function plainTargets(jsonPort: number, streamPort: number): Readonly<Record<Measure, Target>> {
  const headers = { Authorization: `Bearer ${BENCH_KEY}` };
  const path = '/v1/chat/completions';
  return {
    json: { port: jsonPort, path, headers, body: requestBody('json') },
    stream: { port: streamPort, path, headers, body: requestBody('stream') },
  };
}
