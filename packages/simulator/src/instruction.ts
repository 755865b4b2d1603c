// Instructions to the simulator, `key=value` pairs: in-band after `@simulate` in a message, or armed over the control API.

import { type FaultName, isFaultName } from './faults/fault-names.ts';
import { type PictureManner, pictureManners } from './pictures/order.ts';
import { type ScenarioName, scenarioNames } from './scenarios/table.ts';

const clipFates = ['done', 'bytes', 'blocked', 'partly-blocked', 'fails', 'invalid'] as const;
export type ClipFate = (typeof clipFates)[number];

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
  const pairs = text.match(/\S+/gu) ?? [];
  return Object.assign({}, ...pairs.map(parsePair));
}

/** Words that a key accepts, and how to say that it does not. */
const wordKeys = {
  scenario: [scenarioNames(), 'unknown scenario'],
  pictures: [Object.keys(pictureManners), 'unknown manner of pictures'],
  clip: [clipFates, `a clip ends as one of ${clipFates.join(', ')}, not`],
} as const;

function parsePair(word: string): Instruction {
  const [, key = '', value = ''] = PAIR.exec(word) ?? [];
  if (key === 'code') return { code: value };
  if (key === 'fault') {
    const faults = value.split(',');
    const unknown = faults.find((name) => !isFaultName(name));
    if (unknown !== undefined) throw new Error(`unknown fault "${unknown}"`);
    return { faults: faults.filter(isFaultName) };
  }
  if (key === 'scenario' || key === 'pictures' || key === 'clip') {
    const [words, problem] = wordKeys[key];
    if (!words.some((one) => one === value)) throw new Error(`${problem} "${value}"`);
    return { [key]: value };
  }
  const numeric = numberKeys[key];
  if (numeric === undefined) throw new Error(`"${word}" is not one of ${instructionKeys.join(', ')}`);
  const number = Number(value);
  if (!(number >= numeric.minimum && number <= numeric.maximum))
    throw new Error(`${key} must be between ${numeric.minimum} and ${numeric.maximum}, not "${value}"`);
  return { [numeric.field]: number };
}
