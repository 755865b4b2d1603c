/**
 * Why a rule was not seen to hold at hosts of some format. Every entry names its rules one by one: a rule that is new, or whose
 * tests ask other hosts than before, has no hole, and `npm run conformance` fails until its tests ask more hosts or it is named here.
 */
export const DIALECTS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generate',
  'amazon-converse',
] as const;
export type Dialect = (typeof DIALECTS)[number];

export type Hole = {
  /** Ids of rules, by blanks or line ends. */
  readonly rules: string;
  readonly dialects: readonly Dialect[];
  readonly why: string;
};

export const idsOf = ({ rules }: Hole): readonly string[] => rules.trim().split(/\s+/);

const ALL_BUT_CHAT = ['openai-responses', 'anthropic-messages', 'google-generate'] as const;
const ALL_BUT_MESSAGES = ['openai-chat', 'openai-responses', 'google-generate'] as const;
const ALL_BUT_GOOGLE = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;
const ALL_BUT_RESPONSES = ['openai-chat', 'anthropic-messages', 'google-generate'] as const;

const DOOR = 'decided at the door from headers, path, key, budget, size and rate of the call, before a host is chosen';
const STORED =
  'about what is stored, whichever host made it; that answers of every format are stored, continued and followed is asked at each for R-65, R-66, R-70, R-72 and R-73';
const PLAN =
  'decided by the plan from the catalogue (which model, which target, what the model can do), before the format of the host matters';
const EXCHANGE =
  'one exchange serves hosts of every format: it writes the headers of calls and answers, collects the losses, moves on to another target and names the one that served, keeps quiet streams alive, and stops a call whose caller is gone';
const FAULTS =
  'the same faults are asked of hosts of every format for E-01; these rules say how one table writes each kind of fault for each protocol';
const BILLING =
  'prices are applied to canonical counts, whatever host gave them; the counts of every format are held by tests/laws (plausible usage, fixtures)';
const OWN_FORMAT =
  'about calls whose host speaks the format of the caller: bytes are passed on, which no host of another format could read';
const GOOGLE_WISHES =
  'a choice that only hosts of Google’s format offer; that others refuse it or that it is a loss is held by tests/laws/stances.test.ts';
const GEMINI_TIERS =
  'limits of thinking of Gemini’s models, which the catalogue gives; only hosts of Google’s format serve these models';
const MADE_MEDIA =
  'pictures and speech in an answer; of the four formats only Google’s has them, and models elsewhere are refused before a host is asked';
const GOOGLE_ANSWERS = 'only hosts of Google’s format give this field or this finish';
const CLAUDE_ANSWERS =
  'only hosts of Anthropic’s format give these blocks of server tools and this pause; they are passed on';
const CLAUDE_SEALS =
  'sealed blocks go back to the maker alone; that no other host gets them is asked at every format for M-52 and M-56';
const CLAUDE_CACHE = 'of the formats that callers speak, only Anthropic’s bills cache writes by lifetime';
const COUNTED_OUTSIDE =
  'about hosts that count cached tokens inside the prompt; Anthropic’s format counts them beside it';
const SEALS =
  'that a seal goes back to its maker, and to no other host, is held for the seals of every format by tests/laws/seals.test.ts';
const RESPONSES_HOST = 'about what is written to hosts of the Responses format; no other format has these fields';
const PICTURES =
  'asked at hosts of pictures, whose formats are others; of the formats for text only Google’s makes pictures';
const SOUND = 'asked at hosts of sound, whose formats are others';
const ONE_WRITER =
  'one encoder writes what this protocol answers, from canonical events alone; that hosts of every format give those events is held by tests/laws (all fixtures, all cuts) and tests/matrix (every pair)';
const ONE_READER =
  'one decoder reads and judges what a caller of this protocol may say, before a host is chosen; what becomes of each field at hosts of every format is held by tests/laws/stances.test.ts and tests/matrix (every pair)';

const CONVERSE =
  'asked at hosts of the formats that callers speak; what is sent to this one is held for every canonical field by tests/laws/stances.test.ts and for the corpora by tests/journeys/converse-wire.test.ts, and its answers at every protocol by tests/journeys/converse.test.ts';

export const HOLES: readonly Hole[] = [
  {
    rules: `
      A-01 A-02 A-03 A-04 A-07 A-08 A-10 A-12 A-29 A-31 A-32 A-39 E-08 E-09 E-12 E-14 N-30 N-31 P-32
    `,
    dialects: ALL_BUT_CHAT,
    why: DOOR,
  },
  {
    rules: 'A-14 A-15 A-16 A-18 A-24 A-28',
    dialects: ALL_BUT_MESSAGES,
    why: DOOR,
  },
  {
    rules: 'A-27 A-30 A-38 P-04 P-05 P-07 P-08',
    dialects: ALL_BUT_GOOGLE,
    why: DOOR,
  },
  {
    rules: 'R-64',
    dialects: ALL_BUT_RESPONSES,
    why: DOOR,
  },
  {
    rules: 'R-80',
    dialects: [...ALL_BUT_RESPONSES, 'amazon-converse'],
    why: DOOR,
  },
  {
    rules: 'R-86 R-87 R-93',
    dialects: [...ALL_BUT_CHAT, 'amazon-converse'],
    why: DOOR,
  },
  {
    rules: 'R-68',
    dialects: ['anthropic-messages', 'google-generate', 'amazon-converse'],
    why: DOOR,
  },
  {
    rules: 'R-89',
    dialects: [...ALL_BUT_CHAT, 'amazon-converse'],
    why: STORED,
  },
  {
    rules: 'R-88',
    dialects: ['anthropic-messages', 'google-generate', 'amazon-converse'],
    why: STORED,
  },
  {
    rules: 'R-91 R-92',
    dialects: [...ALL_BUT_RESPONSES, 'amazon-converse'],
    why: STORED,
  },
  {
    rules: 'A-25',
    dialects: ['openai-responses', 'anthropic-messages'],
    why: DOOR,
  },
  {
    rules: `
      C-13 C-17 C-25 C-37 C-38 C-39 C-40 C-41 L-36 M-14 P-01 P-02 P-12 P-15 P-17 P-20 P-21 P-24 P-25 P-26 P-30
    `,
    dialects: ALL_BUT_CHAT,
    why: PLAN,
  },
  {
    rules: 'E-29 G-67 G-78 G-79 P-13 P-16',
    dialects: ALL_BUT_GOOGLE,
    why: PLAN,
  },
  {
    rules: 'GR-21',
    dialects: ['openai-chat', 'google-generate'],
    why: PLAN,
  },
  {
    rules: 'P-19',
    dialects: ['openai-responses', 'anthropic-messages'],
    why: PLAN,
  },
  {
    rules: 'G-13',
    dialects: ['openai-responses'],
    why: PLAN,
  },
  {
    rules: 'A-11 A-33 A-34 A-35 A-36 A-37 CR-20 CS-15 CS-17 P-27 P-29',
    dialects: ALL_BUT_CHAT,
    why: EXCHANGE,
  },
  {
    rules: 'MR-03 MS-23',
    dialects: ['openai-responses', 'google-generate'],
    why: EXCHANGE,
  },
  {
    rules: 'E-03 E-15 E-16 E-17 E-18 E-20 E-21 E-22',
    dialects: ALL_BUT_CHAT,
    why: FAULTS,
  },
  {
    rules: 'E-31',
    dialects: ALL_BUT_MESSAGES,
    why: FAULTS,
  },
  {
    rules: 'GR-25',
    dialects: ALL_BUT_GOOGLE,
    why: BILLING,
  },
  {
    rules: 'L-23',
    dialects: ALL_BUT_MESSAGES,
    why: BILLING,
  },
  {
    rules: 'L-28 L-29 L-30',
    dialects: ALL_BUT_CHAT,
    why: BILLING,
  },
  {
    rules: 'C-75 P-14',
    dialects: ALL_BUT_CHAT,
    why: OWN_FORMAT,
  },
  {
    rules: 'MS-07',
    dialects: ALL_BUT_MESSAGES,
    why: OWN_FORMAT,
  },
  {
    rules: `
      G-17 G-18 G-23 G-30 G-31 G-32 G-33 G-37 G-43 G-44 G-45 G-86 G-87
    `,
    dialects: ALL_BUT_GOOGLE,
    why: GOOGLE_WISHES,
  },
  {
    rules: 'G-69 G-71 G-72 G-73 G-74 G-75',
    dialects: ALL_BUT_GOOGLE,
    why: GEMINI_TIERS,
  },
  {
    rules: 'G-70',
    dialects: ['openai-chat', 'openai-responses'],
    why: GEMINI_TIERS,
  },
  {
    rules: `
      G-63 G-64 G-65 G-81 G-82 G-83 G-84 G-85 G-89 G-90 G-91 G-92 G-93 GR-14 GS-12
    `,
    dialects: ALL_BUT_GOOGLE,
    why: MADE_MEDIA,
  },
  {
    rules: `
      E-27 GR-09 GR-15 GR-16 GR-18 GR-24 GR-29 GS-09 GS-10 GS-13 GS-15 GS-16 GS-17 GS-18 GS-19 GS-24 GS-25
      R-50
    `,
    dialects: ALL_BUT_GOOGLE,
    why: GOOGLE_ANSWERS,
  },
  {
    rules: 'E-23 MR-08 MR-13 MR-23',
    dialects: ALL_BUT_MESSAGES,
    why: CLAUDE_ANSWERS,
  },
  {
    rules: 'M-49 M-51 M-54 M-55 M-66',
    dialects: ALL_BUT_MESSAGES,
    why: CLAUDE_SEALS,
  },
  {
    rules: 'M-60',
    dialects: ALL_BUT_MESSAGES,
    why: CLAUDE_CACHE,
  },
  {
    rules: 'MR-20',
    dialects: ['anthropic-messages'],
    why: COUNTED_OUTSIDE,
  },
  {
    rules: 'C-79 CR-17',
    dialects: ALL_BUT_CHAT,
    why: SEALS,
  },
  {
    rules: 'R-34',
    dialects: ['openai-chat', 'google-generate'],
    why: SEALS,
  },
  {
    rules: 'G-21',
    dialects: ['openai-responses'],
    why: SEALS,
  },
  {
    rules: 'R-32 R-33',
    dialects: ['openai-chat'],
    why: SEALS,
  },
  {
    rules: 'R-31 R-51 R-61 R-62',
    dialects: ALL_BUT_RESPONSES,
    why: RESPONSES_HOST,
  },
  {
    rules: `
      I-01 I-04 I-05 I-06 I-10 I-11 I-13 I-14 I-20 I-28 I-32 I-35 I-65 IS-01 IS-08 IS-21 IS-22 IS-26 IS-31
    `,
    dialects: ALL_BUT_GOOGLE,
    why: PICTURES,
  },
  {
    rules: `
      C-46 C-48 CR-07 CR-08 CR-09 CR-10 CR-11 CR-12 CR-14 CR-22 CS-06 CS-12 CS-13 CS-16
    `,
    dialects: ALL_BUT_CHAT,
    why: ONE_WRITER,
  },
  {
    rules: 'GR-05 GR-06',
    dialects: ALL_BUT_GOOGLE,
    why: ONE_WRITER,
  },
  {
    rules: 'MR-21 MS-04',
    dialects: ALL_BUT_MESSAGES,
    why: ONE_WRITER,
  },
  {
    rules: 'G-60 GR-08 GR-10 GR-20',
    dialects: ['openai-responses', 'anthropic-messages'],
    why: ONE_WRITER,
  },
  {
    rules: 'GR-17',
    dialects: ['openai-responses', 'google-generate'],
    why: ONE_WRITER,
  },
  {
    rules: 'GS-08 MS-13',
    dialects: ['openai-chat', 'openai-responses'],
    why: ONE_WRITER,
  },
  {
    rules: 'R-19 R-35 R-43',
    dialects: ['anthropic-messages', 'google-generate'],
    why: ONE_WRITER,
  },
  {
    rules: 'R-30',
    dialects: ['openai-chat', 'google-generate'],
    why: ONE_WRITER,
  },
  {
    rules: 'CR-18 CS-18 E-30 GR-23 MR-07 MS-11 MS-12 MS-26',
    dialects: ['openai-responses'],
    why: ONE_WRITER,
  },
  {
    rules: `
      C-02 C-03 C-04 C-05 C-07 C-08 C-09 C-10 C-11 C-12 C-14 C-15 C-16 C-18 C-19 C-20 C-22 C-23 C-24 C-26 C-27
      C-28 C-29 C-30 C-31 C-32 C-33 C-34 C-42 C-44 C-47 C-49 C-50 C-51 C-61 C-62 C-63 C-64 C-65 C-66 C-67 C-68
      C-70 C-71 C-72 C-73 C-74 C-76 C-77 C-78 C-80 C-81 C-82 C-83 C-84 E-06 N-09 N-10 N-11 N-12 N-13 N-14 N-29
      P-28
    `,
    dialects: ALL_BUT_CHAT,
    why: ONE_READER,
  },
  {
    rules: `
      G-02 G-03 G-05 G-07 G-11 G-12 G-19 G-25 G-38 G-48 G-57 G-58 G-61 G-68 G-76 G-77 G-98 N-07
    `,
    dialects: ALL_BUT_GOOGLE,
    why: ONE_READER,
  },
  {
    rules: 'M-13 M-41 M-61 M-74 M-75 N-01 N-06',
    dialects: ALL_BUT_MESSAGES,
    why: ONE_READER,
  },
  {
    rules: 'R-06 R-10 R-11 R-53 R-58',
    dialects: ALL_BUT_RESPONSES,
    why: ONE_READER,
  },
  {
    rules: 'C-69 E-28 G-08 G-20 G-27 G-47 G-54 G-56 G-94 G-95 G-97 N-08',
    dialects: ['openai-responses', 'anthropic-messages'],
    why: ONE_READER,
  },
  {
    rules: 'G-16 M-59',
    dialects: ['openai-responses', 'google-generate'],
    why: ONE_READER,
  },
  {
    rules: 'M-73',
    dialects: ['openai-chat', 'openai-responses'],
    why: ONE_READER,
  },
  {
    rules: 'R-02 R-03 R-12 R-15 R-27',
    dialects: ['anthropic-messages', 'google-generate'],
    why: ONE_READER,
  },
  {
    rules: 'R-57',
    dialects: ['openai-chat', 'google-generate'],
    why: ONE_READER,
  },
  {
    rules: `
      G-09 G-14 G-26 G-28 G-29 G-35 G-36 G-59 M-11 M-12 M-19 M-30 M-45
    `,
    dialects: ['openai-responses'],
    why: ONE_READER,
  },
  {
    rules: 'M-36 M-37 R-01 R-04 R-05 R-07 R-13 R-16',
    dialects: ['google-generate'],
    why: ONE_READER,
  },
  {
    rules: `
      A-01 A-02 A-03 A-04 A-07 A-08 A-10 A-12 A-14 A-15 A-16 A-18 A-24 A-25 A-27 A-28 A-29 A-30 A-31 A-32 A-38 A-39
      E-08 E-09 E-12 E-14 N-30 N-31 P-04 P-05 P-07 P-08 P-32 R-64
    `,
    dialects: ['amazon-converse'],
    why: DOOR,
  },
  {
    rules: `
      C-13 C-17 C-25 C-37 C-38 C-39 C-40 C-41 E-29 G-13 G-67 G-78 G-79 GR-21 L-36 M-14 P-01 P-02 P-12 P-13 P-15 P-16
      P-17 P-19 P-20 P-21 P-24 P-25 P-26 P-30
    `,
    dialects: ['amazon-converse'],
    why: PLAN,
  },
  {
    rules: 'A-11 A-33 A-34 A-35 A-36 A-37 CR-20 CS-15 CS-17 MR-03 MS-23 P-27 P-29',
    dialects: ['amazon-converse'],
    why: EXCHANGE,
  },
  {
    rules: 'E-03 E-15 E-16 E-17 E-18 E-20 E-21 E-22 E-31',
    dialects: ['amazon-converse'],
    why: FAULTS,
  },
  {
    rules: 'GR-25 L-23 L-28 L-29 L-30',
    dialects: ['amazon-converse'],
    why: BILLING,
  },
  {
    rules: 'C-75 MS-07 P-14',
    dialects: ['amazon-converse'],
    why: OWN_FORMAT,
  },
  {
    rules: 'G-17 G-18 G-23 G-30 G-31 G-32 G-33 G-37 G-43 G-44 G-45 G-86 G-87',
    dialects: ['amazon-converse'],
    why: GOOGLE_WISHES,
  },
  {
    rules: 'G-69 G-70 G-71 G-72 G-73 G-74 G-75',
    dialects: ['amazon-converse'],
    why: GEMINI_TIERS,
  },
  {
    rules: 'G-63 G-64 G-65 G-81 G-82 G-83 G-84 G-85 G-89 G-90 G-91 G-92 G-93 GR-14 GS-12',
    dialects: ['amazon-converse'],
    why: MADE_MEDIA,
  },
  {
    rules: 'E-27 GR-09 GR-15 GR-16 GR-18 GR-24 GR-29 GS-09 GS-10 GS-13 GS-15 GS-16 GS-17 GS-18 GS-19 GS-24 GS-25 R-50',
    dialects: ['amazon-converse'],
    why: GOOGLE_ANSWERS,
  },
  {
    rules: `
      A-19 A-20 A-22 A-23 CR-03 CR-04 CR-05 CR-19 E-23 E-24 G-01 G-04 G-06 G-10 G-15 G-22 G-34 G-39 G-41 G-42 G-46
      G-49 G-50 G-51 G-52 G-55 G-62 G-66 G-80 G-88 G-96 G-99 GR-01 GR-02 GR-03 GR-04 GR-07 GR-11 GR-12 GR-22 GR-26
      GR-27 GR-28 GS-01 GS-02 GS-03 GS-04 GS-05 GS-06 GS-07 GS-11 GS-14 GS-20 GS-21 GS-22 GS-23 GS-26 GS-27 GS-28
      GS-29 GS-30 GS-31 GS-32 GS-33 GS-34 GS-35 GS-36 GS-37 GS-38 L-09 M-01 M-02 M-03 M-05 M-06 M-07 M-08 M-09 M-10
      M-15 M-16 M-17 M-20 M-21 M-22 M-23 M-24 M-25 M-28 M-29 M-32 M-33 M-34 M-35 M-38 M-39 M-40 M-42 M-43 M-44 M-46
      M-47 M-48 M-49 M-50 M-51 M-52 M-53 M-54 M-55 M-56 M-57 M-58 M-60 M-62 M-63 M-64 M-65 M-66 M-67 M-68 M-69 M-70
      M-71 M-72 M-78 MR-01 MR-02 MR-04 MR-05 MR-06 MR-08 MR-09 MR-10 MR-12 MR-13 MR-14 MR-15 MR-16 MR-17 MR-18 MR-19
      MR-22 MR-23 MS-01 MS-02 MS-09 MS-18 MS-19 MS-20 MS-22 MS-24 N-02 N-03 N-04 N-05 N-28 P-03 P-18 R-08 R-09 R-14
      R-17 R-18 R-20 R-21 R-22 R-23 R-24 R-25 R-26 R-28 R-29 R-36 R-37 R-38 R-39 R-40 R-41 R-42 R-44 R-45 R-46 R-47
      R-48 R-49 R-52 R-54 R-55 R-56 R-59 R-60
    `,
    dialects: ['amazon-converse'],
    why: CONVERSE,
  },
  {
    rules: 'MR-20',
    dialects: ['amazon-converse'],
    why: COUNTED_OUTSIDE,
  },
  {
    rules: 'C-79 CR-17 G-21 R-32 R-33 R-34',
    dialects: ['amazon-converse'],
    why: SEALS,
  },
  {
    rules: 'R-31 R-51 R-61 R-62',
    dialects: ['amazon-converse'],
    why: RESPONSES_HOST,
  },
  {
    rules: 'I-01 I-04 I-05 I-06 I-10 I-11 I-13 I-14 I-20 I-28 I-32 I-35 I-65 IS-01 IS-08 IS-21 IS-22 IS-26 IS-31',
    dialects: ['amazon-converse'],
    why: PICTURES,
  },
  {
    rules: `
      C-46 C-48 CR-07 CR-08 CR-09 CR-10 CR-11 CR-12 CR-14 CR-18 CR-22 CS-06 CS-12 CS-13 CS-16 CS-18 E-30 G-60 GR-05
      GR-06 GR-08 GR-10 GR-17 GR-20 GR-23 GS-08 MR-07 MR-21 MS-04 MS-11 MS-12 MS-13 MS-26 R-19 R-30 R-35 R-43
    `,
    dialects: ['amazon-converse'],
    why: ONE_WRITER,
  },
  {
    rules: `
      C-02 C-03 C-04 C-05 C-07 C-08 C-09 C-10 C-11 C-12 C-14 C-15 C-16 C-18 C-19 C-20 C-22 C-23 C-24 C-26 C-27 C-28
      C-29 C-30 C-31 C-32 C-33 C-34 C-42 C-44 C-47 C-49 C-50 C-51 C-61 C-62 C-63 C-64 C-65 C-66 C-67 C-68 C-69 C-70
      C-71 C-72 C-73 C-74 C-76 C-77 C-78 C-80 C-81 C-82 C-83 C-84 E-06 E-28 G-02 G-03 G-05 G-07 G-08 G-09 G-11 G-12
      G-14 G-16 G-19 G-20 G-25 G-26 G-27 G-28 G-29 G-35 G-36 G-38 G-47 G-48 G-54 G-56 G-57 G-58 G-59 G-61 G-68 G-76
      G-77 G-94 G-95 G-97 G-98 M-11 M-12 M-13 M-19 M-30 M-36 M-37 M-41 M-45 M-59 M-61 M-73 M-74 M-75 N-01 N-06 N-07
      N-08 N-09 N-10 N-11 N-12 N-13 N-14 N-29 P-28 R-01 R-02 R-03 R-04 R-05 R-06 R-07 R-10 R-11 R-12 R-13 R-15 R-16
      R-27 R-53 R-57 R-58
    `,
    dialects: ['amazon-converse'],
    why: ONE_READER,
  },
  {
    rules: 'SO-10 SO-11',
    dialects: [...ALL_BUT_GOOGLE, 'amazon-converse'],
    why: SOUND,
  },
  {
    rules: 'LC-06 LC-08 LC-09 LC-10',
    dialects: [...ALL_BUT_CHAT, 'amazon-converse'],
    why: ONE_WRITER,
  },
  {
    rules: 'LC-12',
    dialects: [...ALL_BUT_CHAT, 'amazon-converse'],
    why: OWN_FORMAT,
  },
  {
    rules: 'LC-11',
    dialects: [...ALL_BUT_MESSAGES, 'amazon-converse'],
    why: ONE_WRITER,
  },
  {
    rules: 'LC-03 LC-05',
    dialects: [...ALL_BUT_CHAT, 'amazon-converse'],
    why: ONE_READER,
  },
  {
    rules: 'LC-07',
    dialects: ['openai-responses', 'google-generate', 'amazon-converse'],
    why: ONE_READER,
  },
];
