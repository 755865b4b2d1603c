// Writes docs/reference/admin-api.json, the OpenAPI document of the admin API; with --check it only says whether the file is stale.
// Run: node --conditions=trivium-source scripts/docs/generate-admin-api.ts [--check]

import { adminDocument } from '../../packages/gateway/src/control/slices.ts';
import { writeOrCheck } from './generated-document.ts';

const SCRIPT = 'scripts/docs/generate-admin-api.ts';

if (import.meta.main)
  writeOrCheck({
    target: new URL('../../docs/reference/admin-api.json', import.meta.url),
    script: SCRIPT,
    text: `${JSON.stringify(adminDocument(), null, 2)}\n`,
  });
