/** What a person gets who signs in, and which rule decided it. */
import Type, { type Static } from 'typebox';
import { closed, nullable, word } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

const DECIDED = ['account', 'role', 'models', 'rights', 'tag', 'policy', 'budget', 'managed-settings'] as const;

export const PersonQuery = Type.Object(
  {
    email: Type.String({ maxLength: 320, pattern: FORMS.mailAddress, description: 'Address of the person.' }),
    groups: Type.Optional(
      Type.String({
        maxLength: 4000,
        pattern: FORMS.plainText,
        description:
          'For operators: groups to decide by, separated by commas, in place of those of the last sign-in. For people who have not signed in yet, too.',
      }),
    ),
    issuer: word(
      'Issuer of `signIn.issuers`, by id. Default: where the person has signed in, else the first that fits.',
    ),
  },
  closed,
);

const Decision = Type.Object(
  {
    what: Type.Enum([...DECIDED]),
    name: Type.String({
      description: 'Name of the right, tag, policy, budget or settings; empty if there is only one.',
    }),
    value: Type.String({ description: 'What the person gets. A claim in brackets: the text of it, at the sign-in.' }),
    because: Type.String({ description: 'The rule that decided, as it is named in configuration or admin API.' }),
    group: nullable(Type.String({ description: 'The group that decided. Null: the rule asks for none.' })),
  },
  closed,
);
export type Decision = Static<typeof Decision>;

export const PersonPreview = Type.Object(
  {
    email: Type.String(),
    account: nullable(Type.String({ description: 'Null: the person may not sign in.' })),
    member: nullable(Type.String({ description: 'Id of the member. Null: there is none yet.' })),
    groups: Type.Array(Type.String()),
    groupsFrom: Type.Enum(['given', 'sign-in', 'none'], {
      description:
        '`sign-in`: as at the last sign-in from a program, or its last refresh. `none`: no groups are known.',
    }),
    decisions: Type.Array(Decision),
  },
  { ...closed, $id: 'PersonPreview' },
);
export type PersonPreview = Static<typeof PersonPreview>;
