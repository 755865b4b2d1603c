// Loaded with `--import`: each process writes the URLs of the modules it loads to a separate file.
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
