/** Stored responses in the admin API. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';

const text = nullable(
  Type.Object(
    {
      body: Type.String({ description: 'JSON text, without secrets.' }),
      bytes: Type.Integer({ description: 'Length of the whole in bytes.' }),
      truncated: Type.Boolean({ description: 'Only the beginning is shown.' }),
    },
    closed,
  ),
);

export const Stored = Type.Object(
  {
    stored: Type.Boolean({
      description:
        'False: nothing of it is stored, because the caller did not ask, the gateway stores nothing, it has expired, or it was deleted.',
    }),
    responseId: Type.String(),
    createdAt: nullable(moment('Time of storing. Null: the response is still being made.')),
    expiresAt: nullable(moment('Time of deletion.')),
    previousRequestId: nullable(Type.String({ description: 'The request whose response it follows.' })),
    conversationId: nullable(Type.String({ description: 'The conversation it was added to.' })),
    input: text,
    response: text,
  },
  { ...closed, $id: 'Stored' },
);

export type Stored = Static<typeof Stored>;
