// Instructions to the simulator, `key=value` pairs: in-band after `@simulate` in a message, or armed over the control API.

import { type ClipFate, clipFates } from './dialects/video/tasks.ts';
import { type FaultName, isFaultName } from './faults/fault-names.ts';
import { isPictureManner, type PictureManner } from './pictures/order.ts';
import { isScenarioName, type ScenarioName } from './scenarios/table.ts';

export interface Instruction {
  readonly scenario?: ScenarioName;
  readonly faults?: readonly FaultName[];
  readonly status?: number;
  /** The vendor's error code for `status`. */
  readonly code?: string;
  readonly retryAfterS?: number;
  readonly afterPieces?: number;
  readonly ttftMs?: number;
  readonly tokensPerSecond?: number;
  readonly headerDelayMs?: number;
  readonly words?: number;
  readonly splitBytes?: number;
  readonly cutAtByte?: number;
  readonly dripMs?: number;
  /** How a clip ends, and after how many polls. */
  readonly clip?: ClipFate;
  readonly polls?: number;
  readonly pictures?: PictureManner;
  /** Filler in each image, in KB. */
  readonly kilobytes?: number;
}

const MARK = /@simulate\b([^\n\r]*)/gu;
const PAIR = /^([a-z-]+)=([^\s]+)$/u;

interface NumberKey {
  readonly field: keyof Instruction;
  readonly minimum: number;
  readonly maximum: number;
}

const MAX_WAIT_MS = 600_000;

const numberKeys: Readonly<Record<string, NumberKey>> = {
  status: { field: 'status', minimum: 400, maximum: 599 },
  'retry-after': { field: 'retryAfterS', minimum: 0, maximum: 86_400 },
  after: { field: 'afterPieces', minimum: 0, maximum: 1_000_000 },
  ttft: { field: 'ttftMs', minimum: 0, maximum: MAX_WAIT_MS },
  tps: { field: 'tokensPerSecond', minimum: 0, maximum: 1_000_000 },
  'header-delay': { field: 'headerDelayMs', minimum: 0, maximum: MAX_WAIT_MS },
  words: { field: 'words', minimum: 0, maximum: 1_000_000 },
  split: { field: 'splitBytes', minimum: 1, maximum: 1_048_576 },
  cut: { field: 'cutAtByte', minimum: 1, maximum: 1_073_741_824 },
  kilobytes: { field: 'kilobytes', minimum: 0, maximum: 65_536 },
  drip: { field: 'dripMs', minimum: 1, maximum: MAX_WAIT_MS },
  polls: { field: 'polls', minimum: 0, maximum: 1_000_000 },
};

export const instructionKeys: readonly string[] = [
  'scenario',
  'fault',
  'code',
  'clip',
  'pictures',
  ...Object.keys(numberKeys),
];

/** Reads every `@simulate` line of the texts; later texts win. Throws on an unknown key or value. */
export function readInstructions(texts: readonly string[]): Instruction {
  return Object.assign(
    {},
    ...texts.flatMap((text) => [...text.matchAll(MARK)].map((m) => parseInstruction(m[1] ?? ''))),
  );
}

export function withoutInstructions(text: string): string {
  return text.replaceAll(MARK, '').trim();
}

/** Parses `key=value key=value`. A typing error in a test must fail, so no unknown key or value is skipped. */
export function parseInstruction(text: string): Instruction {
  const pairs = text
    .trim()
    .split(/\s+/u)
    .filter((word) => word !== '');
  return Object.assign({}, ...pairs.map(parsePair));
}

function parsePair(word: string): Instruction {
  const [, key = '', value = ''] = PAIR.exec(word) ?? [];
  if (key === 'scenario') {
    if (!isScenarioName(value)) throw new Error(`unknown scenario "${value}"`);
    return { scenario: value };
  }
  if (key === 'fault') return { faults: value.split(',').map(parseFault) };
  if (key === 'code') return { code: value };
  if (key === 'clip') return { clip: parseClip(value) };
  if (key === 'pictures') {
    if (!isPictureManner(value)) throw new Error(`unknown manner of pictures "${value}"`);
    return { pictures: value };
  }
  const numeric = numberKeys[key];
  if (numeric === undefined) throw new Error(`"${word}" is not one of ${instructionKeys.join(', ')}`);
  const number = Number(value);
  if (!(number >= numeric.minimum && number <= numeric.maximum)) {
    throw new Error(`${key} must be between ${numeric.minimum} and ${numeric.maximum}, not "${value}"`);
  }
  return { [numeric.field]: number };
}

function parseFault(name: string): FaultName {
  if (!isFaultName(name)) throw new Error(`unknown fault "${name}"`);
  return name;
}

function parseClip(name: string): ClipFate {
  const fate = clipFates.find((one) => one === name);
  if (fate === undefined) throw new Error(`a clip ends as one of ${clipFates.join(', ')}, not "${name}"`);
  return fate;
}
