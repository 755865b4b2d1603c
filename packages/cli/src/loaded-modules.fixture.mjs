// Loaded with `--import`: writes the address of every module that the process loads to a file of its own.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

const file = join(process.env.LOADED_MODULES_FOLDER, String(process.pid));
registerHooks({
  load: (url, context, next) => {
    appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
