// Videos: how long they may take, how often hosts are asked after them, and how long they are kept.

import Type, { type Static } from 'typebox';
import { bytes, MIB, milliseconds, section, wait } from './schema-parts.ts';

const MAX_KEPT_HOURS = 8760;

export const operationsSchema = section(
  {
    keepHours: Type.Integer({
      minimum: 1,
      maximum: MAX_KEPT_HOURS,
      default: 168,
      description: 'How long an operation and its videos are kept, from its submission.',
    }),
    deadlineMs: milliseconds(
      3_600_000,
      'How long a provider may take; then the operation fails and nothing is charged.',
    ),
    submitMs: milliseconds(20_000, 'How long a provider may take to say that it takes an order.'),
    unknownMs: milliseconds(
      600_000,
      'How long money stays set aside for a video whose submission got no answer. It is never submitted again.',
    ),
    pollEveryMs: wait(
      'How often providers are asked after a video. Without it: as each of them advises, 5 to 15 seconds.',
    ),
    inlineBytes: bytes(
      8 * MIB,
      0,
      'Videos that providers send as bytes stand in the answer up to this size; larger ones, and those that providers link to, are kept under `blobs`.',
    ),
  },
  'Videos in the making. They need a `database`.',
);

export type OperationsData = Static<typeof operationsSchema>;
