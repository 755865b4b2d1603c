// Schema of a host's data handling, the same in catalogue files and under `providers`.

import Type from 'typebox';

const MAX_DAYS = 36_500;

export const dataFacts = {
  region: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
      description: 'Where the host works on what it is sent, e.g. `eu`. Absent: not known.',
    }),
  ),
  retentionDays: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_DAYS,
      description: 'For how many days the host keeps requests and answers; 0: not at all. Absent: not known.',
    }),
  ),
  trains: Type.Optional(
    Type.Boolean({ description: 'Whether the host may train models on what it is sent. Absent: not known.' }),
  ),
} as const;
