// `operations`: videos: how long they may take, how often hosts are polled for them, and how long they are stored.

import { bytes, integer, MIB, milliseconds, section, wait } from './parts.ts';

const MAX_KEPT_HOURS = 8760;

export const operationsSchema = section(
  {
    keepHours: integer(1, MAX_KEPT_HOURS, 168, 'How long an operation and its videos are stored, from its submission.'),
    deadlineMs: milliseconds(
      3_600_000,
      'How long a provider may take; then the operation fails and nothing is charged.',
    ),
    submitMs: milliseconds(20_000, 'How long a provider may take to accept a submission.'),
    unknownMs: milliseconds(
      600_000,
      'How long funds stay on hold for a video whose submission got no answer. It is never submitted again.',
    ),
    pollEveryMs: wait(
      'How often providers are polled for a video. Without it: as each of them advises, 5 to 15 seconds.',
    ),
    inlineBytes: bytes(
      8 * MIB,
      0,
      'Videos that providers send as bytes are part of the answer up to this size; larger ones, and those that providers link to, are stored under `blobs`.',
    ),
  },
  'Video generation. It needs a `database`.',
);
