// The Gemini models, and how each one thinks. This table is complete.

export interface GenerateModelFamily {
  readonly pattern: RegExp;
  readonly examples: readonly string[];
  readonly maxOutputTokens: number;
  readonly thinking:
    | { readonly kind: 'none' }
    | { readonly kind: 'budget'; readonly minimum: number; readonly maximum: number; readonly canBeOff: boolean }
    | {
        readonly kind: 'level';
        readonly levels: readonly string[];
        readonly maximum: number;
        readonly canBeOff: boolean;
      };
  /** Function calls of the current turn must come back with their thought signature. */
  readonly needsSignature: boolean;
  /** Function tools and the vendor's own tools in one request. */
  readonly mixesTools: boolean;
  readonly makesImages: boolean;
}

const older = { needsSignature: false, mixesTools: false, makesImages: false } as const;
const third = { needsSignature: true, mixesTools: true, makesImages: false, maxOutputTokens: 65_536 } as const;

export const geminiFamilies: readonly GenerateModelFamily[] = [
  {
    pattern: /^gemini-(2\.5|3)[^/]*-image/u,
    examples: ['gemini-2.5-flash-image'],
    maxOutputTokens: 32_768,
    thinking: { kind: 'none' },
    ...older,
    makesImages: true,
  },
  {
    pattern: /^gemini-(1\.5|2\.0)-/u,
    examples: ['gemini-2.0-flash'],
    maxOutputTokens: 8192,
    thinking: { kind: 'none' },
    ...older,
  },
  {
    pattern: /^gemini-2\.5-pro/u,
    examples: ['gemini-2.5-pro'],
    maxOutputTokens: 65_536,
    thinking: { kind: 'budget', minimum: 128, maximum: 32_768, canBeOff: false },
    ...older,
  },
  {
    pattern: /^gemini-2\.5-flash-lite/u,
    examples: ['gemini-2.5-flash-lite'],
    maxOutputTokens: 65_536,
    thinking: { kind: 'budget', minimum: 512, maximum: 24_576, canBeOff: true },
    ...older,
  },
  {
    pattern: /^gemini-2\.5-flash/u,
    examples: ['gemini-2.5-flash'],
    maxOutputTokens: 65_536,
    thinking: { kind: 'budget', minimum: 1, maximum: 24_576, canBeOff: true },
    ...older,
  },
  { pattern: /^gemma-/u, examples: [], maxOutputTokens: 8192, thinking: { kind: 'none' }, ...older },
  {
    pattern: /^gemini-(3[^/]*-)?flash/u,
    examples: ['gemini-3-flash-preview'],
    thinking: { kind: 'level', levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'], maximum: 32_768, canBeOff: true },
    ...third,
  },
  {
    pattern: /^gemini-3/u,
    examples: ['gemini-3-pro-preview', 'gemini-3.1-pro-preview'],
    thinking: { kind: 'level', levels: ['LOW', 'MEDIUM', 'HIGH'], maximum: 32_768, canBeOff: false },
    ...third,
  },
];
