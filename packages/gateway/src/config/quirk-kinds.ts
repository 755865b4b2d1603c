// One format's ways to describe a quirk in the configuration: each description begins with the formats it belongs to.

import Type, { type TSchema } from 'typebox';

export const quirkKinds = (formats: string) => {
  const told = (description: string) => ({ description: `${formats}: ${description}` });
  return {
    flag: (description: string) => Type.Optional(Type.Boolean(told(description))),
    choice: <V extends string[]>(values: readonly [...V], description: string) =>
      Type.Optional(Type.Enum<V>(values, told(description))),
    choices: <V extends string[]>(values: readonly [...V], description: string) =>
      Type.Optional(Type.Array(Type.Enum<V>(values), { maxItems: values.length, ...told(description) })),
    names: (description: string) =>
      Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 32, ...told(description) })),
    text: (description: string) => Type.Optional(Type.String({ maxLength: 100, ...told(description) })),
    amount: (maximum: number, description: string) =>
      Type.Optional(Type.Integer({ minimum: 0, maximum, ...told(description) })),
    number: (maximum: number, description: string) =>
      Type.Optional(Type.Number({ minimum: 0, maximum, ...told(description) })),
  };
};

export type QuirkProperties<Q> = Record<keyof Q, TSchema>;
