/** Managed settings in the admin API. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

const text = Type.String({ minLength: 1, maxLength: 200, pattern: FORMS.plainText });
const names = (description: string) =>
  Type.Optional(Type.Array(text, { minItems: 1, maxItems: 500, uniqueItems: true, description }));

export const ManagedSettings = Type.Object(
  {
    name: Type.String({ pattern: FORMS.chosenId, description: 'Name, chosen by you.' }),
    description: Type.Optional(Type.String({ maxLength: 500, description: 'For operators; programs do not get it.' })),
    priority: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description:
          'If several match a person, the one with the lowest number applies, alone; of equal ones the first by name. Default: 100.',
      }),
    ),
    match: Type.Optional(
      Type.Object(
        {
          groups: names('Groups of the identity provider, as at the last sign-in or refresh: one of them suffices.'),
          accounts: names('Accounts, by id: one of them suffices.'),
        },
        {
          ...closed,
          description:
            'People they are for. If both lists are given, both must fit. Empty or absent: everyone who signs in with an agent.',
        },
      ),
    ),
    settings: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Settings of Claude Code, as in its `managed-settings.json`. Unknown members are refused, with their path.',
    }),
    unchecked: names('Members of `settings` that this release does not know: they are passed on as they are.'),
  },
  { ...closed, $id: 'ManagedSettings' },
);

export const ManagedSettingsVersion = Type.Object(
  {
    name: Type.String({ description: 'Name of the settings.' }),
    version: Type.Integer({ description: 'Counts from 1.' }),
    checksum: nullable(Type.String({ description: 'The checksum that programs get. Null: removed.' })),
    entry: nullable(ManagedSettings),
    createdAt: moment('When this version was saved.'),
    createdBy: Type.String({ description: 'The operator that saved this version.' }),
  },
  { ...closed, $id: 'ManagedSettingsVersion' },
);
export type ManagedSettingsVersion = Static<typeof ManagedSettingsVersion>;
