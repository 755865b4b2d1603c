/** Documents that declare an installation, and what applying one answers with. The members of a document come from its kinds. */
import Type, { type Static, type TProperties } from 'typebox';
import { closed } from '../api/contract.ts';
import { DECLARED_KINDS } from './kinds.ts';

const MAX_ENTRIES = 10_000;

const membersOf = (place: 'top' | 'account' | 'members' | 'keys' | 'tags'): TProperties =>
  Object.assign({}, ...DECLARED_KINDS.map(({ schema }) => schema[place] ?? {}));

const listOf = (place: 'members' | 'keys' | 'tags') =>
  Type.Optional(
    Type.Array(Type.Object(membersOf(place), closed), {
      maxItems: MAX_ENTRIES,
      description: 'Complete if given. Absent: they are left as they are.',
    }),
  );

const accountMembers = {
  ...membersOf('account'),
  tags: listOf('tags'),
  members: listOf('members'),
  keys: listOf('keys'),
};
const DeclaredAccount = Type.Object(accountMembers, { ...closed, $id: 'DeclaredAccount' });

export const Declared = Type.Object(
  { accounts: Type.Optional(Type.Array(DeclaredAccount, { maxItems: MAX_ENTRIES })), ...membersOf('top') },
  {
    ...closed,
    $id: 'Declared',
    description: 'What an installation is to have. Lists that are given are complete; what is left out stays as it is.',
  },
);

const options = {
  prune: Type.Optional(
    Type.Boolean({ description: 'Remove what the lists do not have and an earlier apply has made.' }),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: 'Answer with the changes and make none.' })),
  takeSecrets: Type.Optional(
    Type.Boolean({ description: 'Return the secrets of new keys and webhooks, once. Without it, none is made.' }),
  ),
};
export const ApplyBody = Type.Object({ declared: Declared, ...options }, closed);
export const ApplyAccountBody = Type.Object({ declared: DeclaredAccount, ...options }, closed);

const values = Type.Record(Type.String(), Type.Unknown());
const step = {
  action: Type.Enum(['create', 'change', 'remove']),
  kind: Type.String({ description: 'E.g. `account`, `key` or `budget`.' }),
  name: Type.String({ description: '`acme`, or `acme/production` for what belongs to an account.' }),
  before: Type.Optional(values),
  after: Type.Optional(values),
  drift: Type.Optional(
    Type.Enum(['changed', 'removed'], { description: 'It was changed or removed by hand since the last apply.' }),
  ),
};
export const DeclaredStep = Type.Object(step, { ...closed, $id: 'DeclaredStep' });
export const Applied = Type.Object(
  {
    applied: Type.Boolean({ description: 'False with `dryRun`.' }),
    changes: Type.Array(DeclaredStep),
    leftAlone: Type.Array(
      Type.Object(
        {
          ...step,
          why: Type.Enum(['not-pruned', 'made-by-hand'], {
            description: '`not-pruned`: `prune` would remove it. `made-by-hand`: no apply has made it.',
          }),
        },
        closed,
      ),
      { description: 'What the lists do not have.' },
    ),
    secrets: Type.Array(Type.Object({ kind: Type.String(), name: Type.String(), secret: Type.String() }, closed), {
      description: 'Secrets of new keys and webhooks. Returned only here.',
    }),
  },
  { ...closed, $id: 'Applied' },
);

export type DeclaredStep = Static<typeof DeclaredStep>;
export type Applied = Static<typeof Applied>;
