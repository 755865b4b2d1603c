// The gateway's log, on standard output unless the terminal redirects it.

import type { Config } from '@trivium/gateway/config';
import { createLog, type Log } from '@trivium/gateway/supervisor';
import type { Terminal } from './terminal.ts';

export const openLog = (level: Config['log']['level'], terminal: Terminal): Log =>
  createLog({ level, ...(terminal.writeLog === undefined ? {} : { write: terminal.writeLog }) });
