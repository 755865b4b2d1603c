/** Captured content in the admin API: the rules about it, and the panes of one request. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';
import { PANES } from './marks.ts';
import { BODIES } from './rules.ts';
import { WHY_NOT } from './why-not.ts';

const MAX_KEEP_HOURS = 720;
export const MAX_CAPTURE_DAYS = 31;

const bodies = Type.Enum([...BODIES], {
  description:
    'Requests to capture: none, those with a failure (their own or of a call to a provider), a share, or all.',
});
const inherited = Type.Enum([...BODIES, 'inherit'], {
  description: "As for an account; `inherit`: the account's rule.",
});
const samplePercent = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100,
  description: 'The share with `sample`, in percent.',
});
const keepHours = Type.Integer({
  minimum: 1,
  maximum: MAX_KEEP_HOURS,
  description: 'Retention of captured content, in hours.',
});
const until = Type.String({
  pattern: FORMS.isoTime,
  description: `When capturing ends, at most ${MAX_CAPTURE_DAYS} days from now. Required unless it is off.`,
});

const rule = {
  samplePercent,
  keepHours,
  until: nullable(moment('End of capturing.')),
  active: Type.Boolean({ description: 'Whether anything is captured now.' }),
  storage: Type.Enum(['folder', 's3'], { description: 'Storage of content at the answering node.' }),
  warning: nullable(Type.String({ description: 'Why some content may not be readable on every node.' })),
};

export const AccountRecords = Type.Object({ bodies, ...rule }, { ...closed, $id: 'AccountRecords' });
export const KeyRecords = Type.Object({ bodies: inherited, ...rule }, { ...closed, $id: 'KeyRecords' });

const change = {
  samplePercent: Type.Optional(samplePercent),
  keepHours: Type.Optional(keepHours),
  until: Type.Optional(until),
};
export const AccountRecordsChange = Type.Object(
  { bodies: Type.Optional(bodies), ...change },
  { ...closed, $id: 'AccountRecordsChange' },
);
export const KeyRecordsChange = Type.Object(
  { bodies: Type.Optional(inherited), ...change },
  { ...closed, $id: 'KeyRecordsChange' },
);

export const ErasedContent = Type.Object(
  {
    erased: Type.Integer({ description: 'Captured requests that can no longer be read.' }),
    left: Type.Integer({
      description: 'Encrypted files of these that this node cannot delete; they go when they expire.',
    }),
  },
  { ...closed, $id: 'ErasedContent' },
);

const pane = Type.Object(
  {
    startLine: Type.String({ description: 'Method and URL, or the status.' }),
    headers: Type.Array(
      Type.Object({ name: Type.String(), value: Type.String(), redacted: Type.Optional(Type.Literal(true)) }, closed),
    ),
    body: Type.String({ description: 'Text as it was sent, without secrets.' }),
    bytes: Type.Integer({ description: 'Length of the whole body in bytes, with what was cut off.' }),
    truncated: Type.Boolean({ description: 'Only the beginning of the body is kept.' }),
    frames: Type.Array(Type.Object({ atMs: Type.Number(), bytes: Type.Integer() }, closed), {
      description: 'Pieces of the body in order: when each passed, since the request arrived, and its length.',
    }),
  },
  { ...closed, $id: 'WirePane' },
);

const place = Type.Object(
  {
    pane: Type.Enum([...PANES]),
    start: nullable(Type.Integer({ description: 'First byte of the body. Null: the place is not known.' })),
    end: nullable(Type.Integer({ description: 'The byte after the last.' })),
  },
  closed,
);

const WireMark = Type.Object(
  {
    kind: Type.Enum(['S', 'L', 'A', 'E', 'K'], {
      description:
        'S: an edit in passing on (verbatim lane). L: a loss. A: approximated. E: sealed state of a provider. K: a redacted secret.',
    }),
    path: nullable(Type.String({ description: 'The member or header it is about.' })),
    why: Type.String(),
    from: nullable(place),
    to: nullable(place),
  },
  { ...closed, $id: 'WireMark' },
);

export const Wire = Type.Object(
  {
    captured: Type.Boolean(),
    why: nullable(
      Type.Enum([...WHY_NOT], {
        description:
          'Why it is not captured. `no-error`: only failures are. `not-stored`: dropped, deleted, or not written yet. `on-another-node`: in a folder this node does not have.',
      }),
    ),
    expiresAt: nullable(moment('Time of deletion.')),
    attempt: nullable(Type.Integer({ description: 'Number of the shown call to a provider, from 1.' })),
    attempts: Type.Array(Type.Object({ provider: Type.String(), model: Type.String(), lane: Type.String() }, closed), {
      description: 'Calls to providers that were captured, in their order.',
    }),
    panes: nullable(
      Type.Object(
        {
          callerRequest: pane,
          hostRequest: nullable(pane),
          hostResponse: nullable(pane),
          callerResponse: pane,
        },
        closed,
      ),
    ),
    marks: Type.Array(WireMark),
  },
  { ...closed, $id: 'Wire' },
);

export const WireQuestion = Type.Object(
  {
    attempt: Type.Optional(
      Type.String({
        pattern: FORMS.wholeNumber,
        description: 'Number of the call to a provider, from 1. Default: the last.',
      }),
    ),
  },
  closed,
);

export type AccountRecords = Static<typeof AccountRecords>;
export type KeyRecords = Static<typeof KeyRecords>;
export type Wire = Static<typeof Wire>;
