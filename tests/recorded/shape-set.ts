/** The recorded shapes: masked skeletons of real exchanges, one per line, with the place each was seen in. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Json } from '@trivium/protocol/canonical';

const FOLDER = new URL('./shapes/', import.meta.url);

const SHAPE_KINDS = ['request', 'refused-request', 'response', 'stream', 'error'] as const;

export type Shape = {
  readonly id: string;
  readonly origin: 'recorded shape';
  readonly dialect: string;
  readonly vendor: string;
  readonly model: string | null;
  /** Public repository and path of the recording. */
  readonly seenIn: string;
  readonly status: number;
  readonly kind: (typeof SHAPE_KINDS)[number];
  /** The defect (D…), refusal (R) or belief of the simulator (S) this shape brought to light. */
  readonly finding?: string;
  readonly shape: Json;
};

/** Lines as `trivium check-live --record` writes them; those of our own files leave out the dialect. */
export const readShapes = (text: string): Shape[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Shape);

const load = (file: string): Shape[] =>
  readShapes(readFileSync(new URL(file, FOLDER), 'utf8')).map((shape) => ({
    ...shape,
    dialect: file.replace('.jsonl', ''),
  }));

export const shapes: readonly Shape[] = readdirSync(FOLDER).sort().flatMap(load);

export const shapesOf = (kind: Shape['kind'], ...dialects: readonly string[]): Shape[] =>
  shapes.filter((shape) => shape.kind === kind && (dialects.length === 0 || dialects.includes(shape.dialect)));

/** Throws where there is none: a test that found nothing to run proves nothing. */
export function shapesFound(finding: string): Shape[] {
  const found = shapes.filter((shape) => shape.finding === finding);
  if (found.length === 0) throw new Error(`no recorded shape shows ${finding}`);
  return found;
}

export const TEXT_DIALECTS = ['anthropic-messages', 'google-generate', 'openai-chat', 'openai-responses'] as const;
