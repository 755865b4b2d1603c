// Parts shared by the catalogue's schemas.

import Type from 'typebox';

export const MAX_TOKENS = 100_000_000;

export const closed = { additionalProperties: false } as const;
export const name = Type.String({ minLength: 1, maxLength: 200 });
export const sentence = Type.String({ minLength: 1, maxLength: 1000 });
export const day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
