/** Tags and groups of accounts in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

const key = Type.String({
  pattern: FORMS.tagKey,
  description: 'The name of the tag: a member of `metadata`, an entry of `x-trivium-tags`, or `user`.',
});

export const Tag = Type.Object(
  {
    key,
    required: Type.Boolean({ description: 'Requests without it are refused with 400.' }),
    createdAt: moment('Creation time.'),
  },
  { ...closed, $id: 'Tag' },
);
export const NewTag = Type.Object(
  {
    key,
    required: Type.Optional(Type.Boolean({ default: false, description: 'Refuse requests without it, with 400.' })),
  },
  closed,
);
export const TagName = Type.Object({ key }, { ...closed, $id: 'TagName' });

const accountId = Type.String({ minLength: 1, maxLength: 100 });
export const Family = Type.Object(
  {
    parentId: nullable(accountId),
    above: Type.Array(accountId, { description: 'The accounts above it, the nearest first.' }),
    children: Type.Array(accountId, { description: 'The accounts directly below it, at most 1000.' }),
  },
  { ...closed, $id: 'Family' },
);
export const ParentChange = Type.Object({ parentId: nullable(accountId) }, closed);
export type Family = Static<typeof Family>;

export type Tag = Static<typeof Tag>;
