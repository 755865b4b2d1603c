// Schema helpers for the quirks of one format: each description begins with the formats it applies to.

import Type, { type TSchema } from 'typebox';

export const quirkKinds = (formats: string) => {
  const described = (description: string) => ({ description: `${formats}: ${description}` });
  return {
    flag: (description: string) => Type.Optional(Type.Boolean(described(description))),
    choice: <V extends string[]>(values: readonly [...V], description: string) =>
      Type.Optional(Type.Enum<V>(values, described(description))),
    choices: <V extends string[]>(values: readonly [...V], description: string) =>
      Type.Optional(Type.Array(Type.Enum<V>(values), { maxItems: values.length, ...described(description) })),
    names: (description: string) =>
      Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 32, ...described(description) }),
      ),
    text: (description: string) => Type.Optional(Type.String({ maxLength: 100, ...described(description) })),
    amount: (maximum: number, description: string) =>
      Type.Optional(Type.Integer({ minimum: 0, maximum, ...described(description) })),
    number: (maximum: number, description: string) =>
      Type.Optional(Type.Number({ minimum: 0, maximum, ...described(description) })),
  };
};

export type QuirkProperties<Q> = Record<keyof Q, TSchema>;
